// SPDX-License-Identifier: MIT-0
/* Small things: messages, elements by type. A part of orrery_rt.c. */

static double orr_max(double a, double b) { return a < b ? b : a; }
static double orr_min(double a, double b) { return b < a ? b : a; }
static double orr_clamp(double a, double low, double high) { return a < low ? low : a > high ? high : a; }
static int orr_sign(double a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }
static double *orr_states(orr_run *r) { return (double *)(void *)r->memory; }
static int orr_at_stop(const orr_run *r) { return r->t >= r->options.stop - r->time_tolerance; }

static int orr_say(orr_run *r, int severity, const char *path, const char *text) {
  if (r->listener.say) r->listener.say(r->listener.user, r, severity, path, text);
  return ORR_FAILED;
}

/* Each "{}" of the text becomes the next of the values. */
static void orr_fill_in(char *out, size_t room, const char *text, const double *values, int count) {
  size_t n = 0;
  while (*text && n + 1 < room) {
    if (text[0] == '{' && text[1] == '}' && count > 0) {
      int written = *values != *values ? snprintf(out + n, room - n, "NaN") : snprintf(out + n, room - n, "%.6g", *values);
      n = orr_min((double)(n + (size_t)(written > 0 ? written : 0)), (double)(room - 1)) >= (double)(room - 1)
              ? room - 1
              : n + (size_t)(written > 0 ? written : 0);
      ++values;
      --count;
      text += 2;
    } else {
      out[n++] = *text++;
    }
  }
  out[n] = 0;
}

static int orr_tell(orr_run *r, int severity, const char *path, const char *text, const double *values, int count) {
  char filled[512];
  orr_fill_in(filled, sizeof filled, text, values, count);
  return orr_say(r, severity, path, filled);
}

/* By element type. */
static size_t orr_width(int type) {
  static const unsigned char widths[] = {sizeof(double), sizeof(double), 1, 2, 4, 1, 2, 4, 1};
  return widths[type];
}

double orr_number(const orr_model *model, const void *memory, size_t offset, int type) {
  const unsigned char *at = (const unsigned char *)memory + offset;
  (void)model;
  switch (type) {
    case ORR_I8: return *(const signed char *)at;
    case ORR_I16: return *(const short *)(const void *)at;
    case ORR_I32: return (double)*(const int *)(const void *)at;
    case ORR_U8:
    case ORR_BOOLEAN: return *at;
    case ORR_U16: return *(const unsigned short *)(const void *)at;
    case ORR_U32: return (double)*(const unsigned int *)(const void *)at;
    default: return *(const double *)(const void *)at;
  }
}

/* Cut off and held within the range of the type. */
static double orr_whole(double value, double lowest, double highest) {
  if (value != value) return 0;
  return value <= lowest ? lowest : value >= highest ? highest : trunc(value);
}

static void orr_store(unsigned char *at, int type, double value) {
  switch (type) {
    case ORR_I8: *(signed char *)at = (signed char)orr_whole(value, -128, 127); break;
    case ORR_I16: *(short *)(void *)at = (short)orr_whole(value, -32768, 32767); break;
    case ORR_I32: *(int *)(void *)at = (int)orr_whole(value, -2147483648.0, 2147483647.0); break;
    case ORR_U8: *at = (unsigned char)orr_whole(value, 0, 255); break;
    case ORR_BOOLEAN: *at = value != 0; break;
    case ORR_U16: *(unsigned short *)(void *)at = (unsigned short)orr_whole(value, 0, 65535); break;
    case ORR_U32: *(unsigned int *)(void *)at = (unsigned int)orr_whole(value, 0, 4294967295.0); break;
    default: *(double *)(void *)at = value; break;
  }
}
