#ifndef CASSETS_H
#define CASSETS_H

#include <stddef.h>

/* Pages, as they stand beside assets.c, in the program itself. */
const unsigned char *cassets_live_page(void);
size_t cassets_live_page_size(void);

#endif
