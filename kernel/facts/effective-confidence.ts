/** What a confidence is worth from a source trusted to [0, 1]: at least half of it (wire contract 4.1 and 6.2). */
export const effectiveConfidence = (confidence: number, sourceTrust: number | undefined): number =>
  confidence * trustFactor(sourceTrust);

/** [0.5, 1]; 1 while trust is off. */
export const trustFactor = (sourceTrust: number | undefined): number =>
  sourceTrust === undefined ? 1 : 0.5 + 0.5 * sourceTrust;
