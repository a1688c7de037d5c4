declare const describes: unique symbol;

/**
 * A JSON Schema that describes `T`. Ajv checks and fills defaults; the compiler takes `T` on trust, so the two are
 * written side by side. Two keywords are ours. `env` on a configuration property names the environment variable that
 * sets it. `movedTo` names the new place of a moved setting: a file that still has the old one is refused with that
 * place. In the schema of a query, a property of type `boolean`, `integer`, `number` or `array` is converted from its
 * text before the check.
 */
export interface Schema<T> {
  readonly json: Readonly<Record<string, unknown>>;
  readonly [describes]?: T;
}

export const schema = <T>(json: Readonly<Record<string, unknown>>): Schema<T> => Object.freeze({ json });
