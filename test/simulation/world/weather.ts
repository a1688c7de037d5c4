/** The faults of the link from one machine to another, in this direction. */
export interface Weather {
  /** Whether the link delivers nothing. */
  cut: boolean;
  /** The probability that a message is lost. */
  loss: number;
  duplication: number;
  truncation: number;
  /** The probability that a request is processed but its reply is lost. */
  lostAnswers: number;
  /** The range of the delay of each message; a wide range lets messages overtake each other. */
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
