/* The definitions below must not take the place of the libraries' own for those libraries themselves. */
#pragma GCC visibility push(hidden)
#include "CAV.h"
#pragma GCC visibility pop

#include <dlfcn.h>
#include <stddef.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define LIBRARY(name, version) "lib" name ".so." TEXT(version)

/* library, result, name, parameters, arguments */
#define FUNCTIONS(F)                                                                                                       \
    F(util, void *, av_malloc, (size_t size), (size))                                                                      \
    F(util, void, av_free, (void *pointer), (pointer))                                                                     \
    F(util, void, av_log_set_level, (int level), (level))                                                                  \
    F(util, int, av_strerror, (int number, char *text, size_t size), (number, text, size))                                 \
    F(util, AVFrame *, av_frame_alloc, (void), ())                                                                         \
    F(util, void, av_frame_free, (AVFrame **frame), (frame))                                                               \
    F(util, int, av_frame_get_buffer, (AVFrame *frame, int align), (frame, align))                                         \
    F(util, AVBufferRef *, av_buffer_create,                                                                               \
      (uint8_t *data, size_t size, void (*release)(void *, uint8_t *), void *opaque, int flags),                           \
      (data, size, release, opaque, flags))                                                                                \
    F(codec, AVPacket *, av_packet_alloc, (void), ())                                                                      \
    F(codec, void, av_packet_free, (AVPacket **packet), (packet))                                                          \
    F(codec, void, av_packet_unref, (AVPacket *packet), (packet))                                                          \
    F(codec, const AVCodec *, avcodec_find_decoder, (enum AVCodecID id), (id))                                             \
    F(codec, const AVCodec *, avcodec_find_encoder, (enum AVCodecID id), (id))                                             \
    F(codec, AVCodecContext *, avcodec_alloc_context3, (const AVCodec *codec), (codec))                                    \
    F(codec, void, avcodec_free_context, (AVCodecContext **context), (context))                                            \
    F(codec, int, avcodec_open2, (AVCodecContext *context, const AVCodec *codec, AVDictionary **options),                  \
      (context, codec, options))                                                                                           \
    F(codec, int, avcodec_parameters_to_context, (AVCodecContext *context, const AVCodecParameters *parameters),           \
      (context, parameters))                                                                                               \
    F(codec, int, avcodec_send_packet, (AVCodecContext *context, const AVPacket *packet), (context, packet))               \
    F(codec, int, avcodec_receive_frame, (AVCodecContext *context, AVFrame *frame), (context, frame))                      \
    F(codec, int, avcodec_send_frame, (AVCodecContext *context, const AVFrame *frame), (context, frame))                   \
    F(codec, int, avcodec_receive_packet, (AVCodecContext *context, AVPacket *packet), (context, packet))                  \
    F(codec, void, avcodec_flush_buffers, (AVCodecContext *context), (context))                                            \
    F(format, AVFormatContext *, avformat_alloc_context, (void), ())                                                       \
    F(format, void, avformat_close_input, (AVFormatContext **context), (context))                                          \
    F(format, int, avformat_open_input,                                                                                    \
      (AVFormatContext **context, const char *url, const AVInputFormat *format, AVDictionary **options),                   \
      (context, url, format, options))                                                                                     \
    F(format, int, avformat_find_stream_info, (AVFormatContext *context, AVDictionary **options), (context, options))      \
    F(format, int, av_find_best_stream,                                                                                    \
      (AVFormatContext *context, enum AVMediaType type, int wanted, int related, const AVCodec **decoder, int flags),      \
      (context, type, wanted, related, decoder, flags))                                                                    \
    F(format, int, av_read_frame, (AVFormatContext *context, AVPacket *packet), (context, packet))                         \
    F(format, int, av_seek_frame, (AVFormatContext *context, int stream, int64_t time, int flags),                         \
      (context, stream, time, flags))                                                                                      \
    F(format, const AVInputFormat *, av_find_input_format, (const char *name), (name))                                     \
    F(format, uint8_t *, av_stream_get_side_data,                                                                          \
      (const AVStream *stream, enum AVPacketSideDataType type, size_t *size), (stream, type, size))                        \
    F(format, AVRational, av_guess_sample_aspect_ratio, (AVFormatContext *context, AVStream *stream, AVFrame *frame),      \
      (context, stream, frame))                                                                                            \
    F(format, AVIOContext *, avio_alloc_context,                                                                           \
      (unsigned char *buffer, int size, int writes, void *opaque, int (*read)(void *, uint8_t *, int),                     \
       int (*write)(void *, uint8_t *, int), int64_t (*seek)(void *, int64_t, int)),                                       \
      (buffer, size, writes, opaque, read, write, seek))                                                                   \
    F(format, void, avio_context_free, (AVIOContext **context), (context))                                                 \
    F(scale, struct SwsContext *, sws_getContext,                                                                          \
      (int width, int height, enum AVPixelFormat format, int toWidth, int toHeight, enum AVPixelFormat toFormat,           \
       int flags, SwsFilter *filter, SwsFilter *toFilter, const double *parameters),                                       \
      (width, height, format, toWidth, toHeight, toFormat, flags, filter, toFilter, parameters))                           \
    F(scale, void, sws_freeContext, (struct SwsContext *context), (context))                                               \
    F(scale, const int *, sws_getCoefficients, (int space), (space))                                                       \
    F(scale, int, sws_setColorspaceDetails,                                                                                \
      (struct SwsContext *context, const int matrix[4], int isFull, const int toMatrix[4], int toIsFull, int brightness,   \
       int contrast, int saturation),                                                                                      \
      (context, matrix, isFull, toMatrix, toIsFull, brightness, contrast, saturation))                                     \
    F(scale, int, sws_scale,                                                                                               \
      (struct SwsContext *context, const uint8_t *const planes[], const int strides[], int first, int count,               \
       uint8_t *const toPlanes[], const int toStrides[]),                                                                  \
      (context, planes, strides, first, count, toPlanes, toStrides))

static struct {
#define MEMBER(library, result, name, parameters, arguments) result(*name) parameters;
    FUNCTIONS(MEMBER)
} table;

#define DEFINITION(library, result, name, parameters, arguments)                                                           \
    __attribute__((visibility("hidden"))) result name parameters { return table.name arguments; }
#pragma GCC diagnostic ignored "-Wpedantic"
FUNCTIONS(DEFINITION)

const char *cav_load(void) {
    void *util = dlopen(LIBRARY("avutil", LIBAVUTIL_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
    void *codec = util ? dlopen(LIBRARY("avcodec", LIBAVCODEC_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL) : NULL;
    void *format = codec ? dlopen(LIBRARY("avformat", LIBAVFORMAT_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL) : NULL;
    void *scale = format ? dlopen(LIBRARY("swscale", LIBSWSCALE_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!scale) return dlerror();
#define FIND(library, result, name, parameters, arguments)                                                                 \
    if (!(table.name = (__typeof__(table.name))dlsym(library, #name))) return dlerror();
    FUNCTIONS(FIND)
    return NULL;
}
