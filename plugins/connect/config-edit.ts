/** One thing that a JSON file gets. */
export type JsonChange =
  /** A member of an object. The objects around it are made where they are missing. */
  | { readonly kind: 'member'; readonly path: readonly string[]; readonly value: unknown }
  /** One more item of a list. `marker` is text that no other item has. */
  | { readonly kind: 'item'; readonly path: readonly string[]; readonly value: unknown; readonly marker: string };

/** What one file of a client gets. */
export type ConfigEdit = JsonEdit | TomlEdit;

export interface JsonEdit {
  readonly form: 'json';
  readonly changes: readonly JsonChange[];
}

export interface TomlEdit {
  readonly form: 'toml';
  /** Path of the table that the block defines. */
  readonly table: readonly string[];
  /** Lines of TOML that define the table and nothing else, without an end of line at the end. */
  readonly lines: readonly string[];
}

export interface AppliedEdit {
  readonly text: string;
  /** What was missing before. The rest was there already, and is not ours to take away. */
  readonly added: ConfigEdit;
  /** Paths of objects and lists that were made for it, the outer ones first. */
  readonly created: readonly (readonly string[])[];
}

export interface UndoneEdit {
  /** Undefined where nothing but what the edit had made is left: the file may go. */
  readonly text: string | undefined;
  /** What was changed since, and was left alone. */
  readonly kept: readonly string[];
}
