import type { CallReply, CallRequest } from './pending-calls.ts';

export interface Answering {
  answer(call: string, given: readonly unknown[]): Promise<unknown>;
  /** Returns the state of this side, sent with each reply. */
  note?(): unknown;
}

/** A channel of messages: the port of a thread, or a socket to another process. */
export interface CallPort {
  on(event: 'message', listener: (request: CallRequest) => void): unknown;
  postMessage(reply: CallReply): void;
}

/** The counterpart of `PendingCalls`: answers calls from now on. */
export const answerCalls = (port: CallPort, { answer, note = () => undefined }: Answering): void => {
  const replyTo = async ({ number, call, given }: CallRequest): Promise<CallReply> => {
    try {
      const result = await answer(call, given);
      return { number, note: note(), result };
    } catch (error) {
      return { number, note: note(), error };
    }
  };
  port.on('message', (request) => {
    void replyTo(request).then((reply) => port.postMessage(reply));
  });
};
