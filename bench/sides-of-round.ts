/** Returns the sides forwards, or backwards in every other round, so that a slow moment of the machine hits all. */
export const sidesOfRound = <Side>(sides: readonly Side[], round: number): readonly Side[] =>
  round % 2 === 0 ? sides : [...sides].reverse();
