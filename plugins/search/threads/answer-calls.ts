import type { MessagePort } from 'node:worker_threads';
import type { ThreadReply, ThreadRequest } from './thread-calls.ts';

export interface Answering {
  answer(call: string, given: readonly unknown[]): Promise<unknown>;
  /** Returns the state of the thread, sent with each reply. */
  note?(): unknown;
}

/** The counterpart of `ThreadCalls`: the thread answers calls from now on. */
export const answerCalls = (port: MessagePort, { answer, note = () => undefined }: Answering): void => {
  const replyTo = async ({ number, call, given }: ThreadRequest): Promise<ThreadReply> => {
    try {
      const result = await answer(call, given);
      return { number, note: note(), result };
    } catch (error) {
      return { number, note: note(), error };
    }
  };
  port.on('message', (request: ThreadRequest) => {
    void replyTo(request).then((reply) => port.postMessage(reply));
  });
};
