#include "width.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void limit_width(void) {
    char text[16];
    snprintf(text, sizeof text, "%d", TEST_WIDTH);
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", text, 0);
}
