export type JsonChange =
  /** Sets a member of an object. Missing objects around it are made. */
  | { readonly kind: 'member'; readonly path: readonly string[]; readonly value: unknown }
  /** Adds an item to a list. `marker` is text that no other item contains. */
  | { readonly kind: 'item'; readonly path: readonly string[]; readonly value: unknown; readonly marker: string };

/** The changes to one file of a client. */
export type ConfigEdit = JsonEdit | TomlEdit;

export interface JsonEdit {
  readonly form: 'json';
  readonly changes: readonly JsonChange[];
}

export interface TomlEdit {
  readonly form: 'toml';
  /** Path of the table that the block defines. */
  readonly table: readonly string[];
  /** TOML lines that define only this table, without a final line break. */
  readonly lines: readonly string[];
}

export interface AppliedEdit {
  readonly text: string;
  /** The parts that the edit has added. Parts that already existed stay when the edit is undone. */
  readonly added: ConfigEdit;
  /** Paths of the objects and lists that the edit created, outermost first. */
  readonly created: readonly (readonly string[])[];
}

export interface UndoneEdit {
  /** Undefined if the rest of the file was created by the edit, so that the file can be removed. */
  readonly text: string | undefined;
  /** Added parts that the user has changed since. They stay in the file. */
  readonly kept: readonly string[];
}
