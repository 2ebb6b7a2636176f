/*
 * libavformat, libavcodec, libavutil and libswscale, loaded by cav_load instead of with the program: they bring more than a
 * hundred libraries along, which cost 50 ms and 20 MiB that only the process that decodes pictures has to spend.
 *
 * CAV.c defines the functions it lists under their own names; no other function of these libraries can be called.
 */
#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libavutil/log.h>
#include <libswscale/swscale.h>

/* Loads the libraries. NULL, or why they cannot be used. To be called once, before any other function. */
const char *cav_load(void);

/* Macros that Swift does not import. */
enum {
    CAV_ERROR_AGAIN = AVERROR(EAGAIN),
    CAV_ERROR_ACCESS = AVERROR(EACCES),
    CAV_ERROR_INPUT = AVERROR(EIO),
    CAV_ERROR_MEMORY = AVERROR(ENOMEM),
    CAV_ERROR_END = AVERROR_EOF,
    CAV_PADDING = AV_INPUT_BUFFER_PADDING_SIZE,
    CAV_QUALITY_SCALE = FF_QP2LAMBDA,
};
