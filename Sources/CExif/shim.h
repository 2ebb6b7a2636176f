#pragma once
#include <libexif/exif-data.h>
#include <malloc.h>
#include <stdlib.h>

/*
 * A memory manager that gives out no more than a set number of bytes at a time: a block may name the same 64 KiB as the
 * value of each of thousands of tags, and libexif copies every value. The room belongs to the thread that loads.
 */
static inline size_t *cexif_room(void) {
    /* In a function, since the importer emits no variables of a header. */
    static _Thread_local size_t room;
    return &room;
}

static inline void *cexif_take(void *memory) {
    size_t size = memory ? malloc_usable_size(memory) : 0;
    *cexif_room() = size < *cexif_room() ? *cexif_room() - size : 0;
    return memory;
}
static inline void cexif_free(void *memory) {
    if (memory) *cexif_room() += malloc_usable_size(memory);
    free(memory);
}
static inline void *cexif_alloc(ExifLong size) {
    return size < *cexif_room() ? cexif_take(calloc(1, size)) : NULL;
}
static inline void *cexif_realloc(void *memory, ExifLong size) {
    size_t old = memory ? malloc_usable_size(memory) : 0;
    if (size >= *cexif_room() + old) return NULL;
    void *grown = realloc(memory, size);
    if (!grown) return NULL;
    *cexif_room() += old;
    return cexif_take(grown);
}

/*
 * What libexif reads from a block that begins with "Exif\0\0", as it stands there: nothing "corrected", unknown tags kept,
 * with at most `room` bytes of memory. NULL where that does not do for anything; else to be given to exif_data_unref.
 */
static inline ExifData *cexif_load(const unsigned char *block, unsigned int size, size_t room) {
    *cexif_room() = room;
    ExifMem *memory = exif_mem_new(cexif_alloc, cexif_realloc, cexif_free);
    if (!memory) return NULL;
    ExifData *data = exif_data_new_mem(memory);
    exif_mem_unref(memory);
    if (!data) return NULL;
    exif_data_unset_option(data, EXIF_DATA_OPTION_FOLLOW_SPECIFICATION);
    exif_data_unset_option(data, EXIF_DATA_OPTION_IGNORE_UNKNOWN_TAGS);
    exif_data_load_data(data, block, size);
    return data;
}

/* A tag of one directory; exif_data_get_entry is a macro that takes it from any. */
static inline const ExifEntry *cexif_entry(const ExifData *data, ExifIfd directory, unsigned int tag) {
    return exif_content_get_entry(data->ifd[directory], (ExifTag)tag);
}
