import { endTransaction, outcomeOf, type SqliteConnection } from '../sqlite-connection.ts';
import { isBusy, toCommitError, toServiceError } from '../sqlite-errors.ts';
import { watchCommits } from '../watch-commits.ts';
import { ExitGate } from './exit-gate.ts';
import { pauseMs } from './sqlite-writer.ts';
import { describeError, type WriterAnswer, type WriterStep } from './writer-messages.ts';

/** The message port of the thread: it delivers steps and accepts results. */
export interface WriterPort {
  on(event: 'message', listener: (steps: readonly WriterStep[]) => void): unknown;
  postMessage(answer: WriterAnswer): void;
  close(): void;
}

/** Runs the steps from the port on a connection of this thread, until a step closes it. */
export const serveWriter = (port: WriterPort, open: () => SqliteConnection, gate = new ExitGate()): void => {
  const writer = new StepWriter(open);
  gate.pass(() => writer.prepare());
  const othersCommitted = (): void => port.postMessage({ othersCommitted: true });
  const endWatch = watchCommits(() => writer.connection, othersCommitted);
  // Starts the count, because a later check detects only changes since this one.
  othersCommitted();
  port.on('message', (steps) => {
    gate.pass(() => port.postMessage(answerOf(writer, steps)));
    if (steps.at(-1)?.do !== 'close') return;
    endWatch();
    port.close();
  });
};

const answerOf = (writer: StepWriter, steps: readonly WriterStep[]): WriterAnswer => {
  try {
    let result: unknown;
    for (const step of steps) result = writer.take(step);
    return { result };
  } catch (error) {
    return { failure: describeError(error) };
  }
};

type Statement = Extract<WriterStep, { readonly sql: string }>;

/**
 * Runs steps on one connection. Statements need a transaction. After a failure, no further statement runs: SQLite
 * itself rolls back when the disk is full, and each later statement would commit on its own.
 */
class StepWriter {
  readonly #open: () => SqliteConnection;
  #connection: SqliteConnection | undefined;
  #begun = false;
  #failure: unknown;

  constructor(open: () => SqliteConnection) {
    this.#open = open;
  }

  /** Opens the connection before the first transaction, which reports a failure. */
  prepare(): void {
    try {
      this.#opened();
    } catch {
      // The first transaction opens the connection again and reports the failure.
    }
  }

  get connection(): SqliteConnection | undefined {
    return this.#connection;
  }

  take(step: WriterStep): unknown {
    switch (step.do) {
      case 'begin':
        return this.#begin(step.patienceMs);
      case 'commit':
        return this.#commit();
      case 'rollback':
        return this.#rollBack();
      case 'restart-log':
        return this.#opened().restartLog();
      case 'checkpoint-from':
        return this.#connection?.checkpointFrom(step.pages);
      case 'forget':
        return this.#connection?.forgetStatements();
      case 'close':
        this.#connection?.checkpoint();
        return this.#connection?.close();
      default:
        return this.#run(step);
    }
  }

  #rollBack(): void {
    this.#begun = false;
    if (this.#connection !== undefined) endTransaction(this.#connection);
  }

  #begin(patienceMs: number): void {
    this.#failure = undefined;
    const deadline = performance.now() + patienceMs;
    for (let attempts = 0; ; attempts += 1) {
      try {
        this.#opened().begin('BEGIN IMMEDIATE');
        this.#begun = true;
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw toServiceError(error);
      }
      Atomics.wait(NEVER, 0, 0, pauseMs(attempts));
    }
  }

  #run(statement: Statement): unknown {
    const connection = this.#inTransaction();
    try {
      return runOn(connection, statement);
    } catch (error) {
      this.#failure = toServiceError(error);
      throw this.#failure;
    }
  }

  #commit(): void {
    const connection = this.#inTransaction();
    try {
      connection.exec('COMMIT');
      this.#begun = false;
    } catch (error) {
      throw toCommitError(error);
    }
  }

  #inTransaction(): SqliteConnection {
    if (this.#failure !== undefined) throw this.#failure;
    if (!this.#begun || this.#connection === undefined) throw new Error('the transaction has ended');
    return this.#connection;
  }

  #opened(): SqliteConnection {
    this.#begun = false;
    this.#connection ??= this.#open();
    return this.#connection;
  }
}

/** A cell that no thread notifies, so that a wait on it sleeps until its timeout. */
const NEVER = new Int32Array(new SharedArrayBuffer(4));

const runOn = (connection: SqliteConnection, step: Statement): unknown => {
  const cached = connection.prepare(step.sql);
  const { statement } = cached;
  switch (step.do) {
    case 'rows':
      return step.sets.map((parameters) => statement.all(...parameters));
    case 'perform':
      return outcomeOf(cached, step.parameters);
    case 'run': {
      let changes = 0;
      for (const parameters of step.sets) changes += Number(statement.run(...parameters).changes);
      return changes;
    }
  }
};
