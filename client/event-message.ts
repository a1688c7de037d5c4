/** One message of a stream of Server-Sent Events. */
export interface EventMessage {
  /** The value for `Last-Event-ID`, to go on after it; empty if the stream gave none. */
  readonly id: string;
  /** `message` by default. */
  readonly event: string;
  /** Its lines of data, with line feeds between them. */
  readonly data: string;
}
