/** How the link from one machine to another is, in that direction. */
export interface Weather {
  /** Nothing gets through. */
  cut: boolean;
  /** Probabilities. */
  loss: number;
  duplication: number;
  truncation: number;
  /** Of the requests that arrive, these are carried out and their answer is lost. */
  lostAnswers: number;
  /** Each message takes some time between these, so that a wide range lets messages overtake each other. */
  leastDelayMs: number;
  mostDelayMs: number;
}

export const fairWeather = (): Weather => ({
  cut: false,
  loss: 0,
  duplication: 0,
  truncation: 0,
  lostAnswers: 0,
  leastDelayMs: 2,
  mostDelayMs: 20,
});
