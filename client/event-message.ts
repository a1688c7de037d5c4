/** One message of a stream of Server-Sent Events. */
export interface EventMessage {
  /** The value of `Last-Event-ID` for a stream that continues after this event; empty if the stream gave none. */
  readonly id: string;
  /** `message` by default. */
  readonly event: string;
  /** Its lines of data, with line feeds between them. */
  readonly data: string;
}
