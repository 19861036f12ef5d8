/** `yes` and its like are true or false to YAML 1.1, with which kumactl and kubectl read, and texts to YAML 1.2. */
const SWITCH = /^(y|Y|yes|Yes|YES|n|N|no|No|NO|on|On|ON|off|Off|OFF)$/;

/**
 * Whole numbers whose notation the two read differently, or only one of them reads: all with a leading zero but `0x1f`.
 */
const NOTATION = /^[-+]?0([\d_]+|[oO][0-7_]+|[bB][01_]+|[xX][\da-fA-F_]+)$/;
const SAME = /^0x[\da-fA-F]+$/;

/** YAML 1.1 reads numbers without their `_`. */
const SPACED = /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/;

/**
 * Why a plain scalar of YAML is one thing to some parsers and another to others; undefined: it is the same to all. The
 * real kumactl 2.14.3 reads `010001` as 4097, `1_000` as 1000 and `on` as true; `1:30` and `2001-01-01` are texts to it
 * as they are here.
 */
export function ambiguity(source: string): string | undefined {
  if (SWITCH.test(source)) return 'is true or false to some parsers and a text to others: write true or false, or put it in quotes';
  if (NOTATION.test(source) && !SAME.test(source)) {
    return 'is not the same number to all parsers: write it in decimal without a leading zero, or put it in quotes if it is a text';
  }
  if (/^[-+.\d]/.test(source) && source.includes('_') && SPACED.test(source.replaceAll('_', ''))) {
    return 'is a number to some parsers and a text to others: write it without "_", or put it in quotes';
  }
  return undefined;
}
