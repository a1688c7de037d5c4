import { createHash } from 'node:crypto';

/** A statement in the form of the driver. A named one is parsed and planned once per connection. */
export interface PostgresStatement {
  readonly text: string;
  readonly name: string | undefined;
}

/**
 * The maximum number of statement names per process. A server stores every named statement until its connection ends.
 */
const MOST_NAMES = 500;

/**
 * Numbers the parameters of statements and names statements by a digest of their text. All connections, and all
 * processes behind one pooler, thus use the same name for the same statement.
 */
export class PostgresStatements {
  readonly #areNamed: boolean;
  readonly #known = new Map<string, PostgresStatement>();
  #generation = 0;

  /** Without names, each statement is parsed and planned each time, because the session may be another one. */
  constructor({ areNamed = true }: { readonly areNamed?: boolean } = {}) {
    this.#areNamed = areNamed;
  }

  prepared(sql: string): PostgresStatement {
    const known = this.#known.get(sql);
    if (known !== undefined) return known;
    const text = numberParameters(sql);
    if (this.#known.size >= MOST_NAMES) return { text, name: undefined };
    const statement = { text, name: this.#areNamed ? `f${this.#generation}_${digestOf(text)}` : undefined };
    this.#known.set(sql, statement);
    return statement;
  }

  /** Gives all statements new names, because the server refuses a named statement whose result columns have changed. */
  rename(): void {
    this.#generation += 1;
    this.#known.clear();
  }
}

const numberParameters = (sql: string): string => {
  let number = 0;
  return sql.replaceAll('?', () => {
    number += 1;
    return `$${number}`;
  });
};

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 24);
