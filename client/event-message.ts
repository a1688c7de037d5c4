/** One message of a stream of Server-Sent Events. */
export interface EventMessage {
  /** What `Last-Event-ID` names to go on after it; empty where the stream gave none. */
  readonly id: string;
  /** `message` unless the stream says otherwise. */
  readonly event: string;
  /** Its lines of data, with line feeds between them. */
  readonly data: string;
}
