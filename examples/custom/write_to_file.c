// SPDX-License-Identifier: MIT-0
/* Writes its input to a text file: a header, a line for each call that is no trial, at the end the number of lines.
 * opar 1 is the name of the file. */
#include "vss_block4.h"

typedef struct {
  FILE* file;
  int lines;
} Output;

VSS_EXPORT void write_to_file(vss_block* block, int flag) {
  Output* output = GetWorkPtrs(block);
  switch (flag) {
    case VssFlag_Initialize:
      output = vss_malloc(block, sizeof *output);
      if (output == NULL) {
        SetBlockError(block, -16);
        return;
      }
      output->file = vss_file_open(block, GetStringOparPtrs(block, 1), "w");
      if (output->file == NULL) {
        Coserror(block, "cannot write the file %s", GetStringOparPtrs(block, 1));
        return;
      }
      fprintf(output->file, "time, value\n");
      GetWorkPtrs(block) = output;
      break;
    case VssFlag_OutputUpdate:
      if (isinTryPhase(block) || output == NULL) return;
      fprintf(output->file, "%g, %g\n", GetVssTime(block), *GetRealInPortPtrs(block, 1));
      ++output->lines;
      break;
    case VssFlag_Terminate:
      if (output != NULL) fprintf(output->file, "%d lines\n", output->lines);
      break;
  }
}
