/** A call to another thread or process. */
export interface CallRequest {
  readonly number: number;
  readonly call: string;
  readonly given: readonly unknown[];
}

/** `note` is the state of the other side at the time of the reply. */
export type CallReply = { readonly number: number; readonly note: unknown } & (
  | { readonly result: unknown }
  | { readonly error: unknown }
);

interface PendingCall {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Matches calls with their replies, which may come in any order. */
export class PendingCalls {
  readonly #pending = new Map<number, PendingCall>();
  #calls = 0;
  #end: Error | undefined;

  get size(): number {
    return this.#pending.size;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Sends a call. Rejects once the other side has ended. */
  ask(call: string, given: readonly unknown[], send: (request: CallRequest) => void): Promise<unknown> {
    return new Promise<unknown>((resolve, reject) => {
      if (this.#end !== undefined) throw this.#end;
      this.#calls += 1;
      send({ number: this.#calls, call, given });
      this.#pending.set(this.#calls, { resolve, reject });
    });
  }

  answered(reply: CallReply): void {
    const pending = this.#pending.get(reply.number);
    this.#pending.delete(reply.number);
    if ('error' in reply) pending?.reject(reply.error);
    else pending?.resolve(reply.result);
  }

  /** Rejects all present and future calls with the error of the first call of `end`, and returns that error. */
  end(error: Error): Error {
    this.#end ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#end);
    this.#pending.clear();
    return this.#end;
  }
}
