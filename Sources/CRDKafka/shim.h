#ifndef CRDKAFKA_SHIM_H
#define CRDKAFKA_SHIM_H

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

/* The variadic call and the header list are out of reach from Swift. The payload is copied. On success the header
   list belongs to the message; on failure it stays the caller's. A null pointer with `has_…` set is an empty value,
   not an absent one. */
static inline rd_kafka_resp_err_t crdkafka_produce(
    rd_kafka_t *client, const char *topic, int32_t partition, int64_t timestamp, int has_key, const void *key,
    size_t key_size, int has_value, const void *value, size_t value_size, rd_kafka_headers_t *headers) {
    const void *key_start = has_key ? (key ? key : "") : NULL;
    const void *value_start = has_value ? (value ? value : "") : NULL;
    return rd_kafka_producev(
        client, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(partition), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
        RD_KAFKA_V_TIMESTAMP(timestamp), RD_KAFKA_V_KEY((void *)key_start, key_size),
        RD_KAFKA_V_VALUE((void *)value_start, value_size), RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
}

/* The list frees its elements' metadata with free(3). */
static inline int crdkafka_set_metadata(rd_kafka_topic_partition_t *element, const void *bytes, size_t size) {
    void *copy = malloc(size + 1);
    if (!copy) return -1;
    memcpy(copy, bytes, size);
    ((char *)copy)[size] = 0;
    free(element->metadata);
    element->metadata = copy;
    element->metadata_size = size;
    return 0;
}

/* A counter to be woken by, already counted up once; -1 where there is none to be had. */
static inline int crdkafka_event_descriptor(void) { return eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC); }

/* rd_kafka_error_new takes a format: here the text stands as it is. */
static inline rd_kafka_error_t *crdkafka_error(rd_kafka_resp_err_t code, const char *text) {
    return rd_kafka_error_new(code, "%s", text);
}

#endif
