import { defineVocabulary, type FactValue, type Scope, type Word } from '../../kernel/plugin-api.ts';

/** One fact from the export of another product. */
export interface ImportDraft {
  /** The kind of item in one word, for example `message`. A run counts drafts by it. */
  readonly kind: string;
  /** Its position in the input, for people: a file with a line, or the place of an item. */
  readonly at: string;
  readonly entity: string;
  /** A triple holds one value. If the origin allows several, the relation ends with a distinguishing part. */
  readonly relation: string;
  readonly value: Pick<FactValue, 'type' | 'v'>;
  /** The author, role or agent that the origin names. */
  readonly source: string;
  /** RFC 3339, as in the origin. */
  readonly timestamp?: string | undefined;
  readonly validUntil?: string | undefined;
  readonly confidence?: number | undefined;
  /** Overrides the scope and the garden of the run. */
  readonly scope?: Scope | undefined;
  readonly garden?: string | undefined;
  /** The conversation of the item. */
  readonly session?: string | undefined;
  /** Identifies the draft within the input, for later drafts that derive from it. */
  readonly key?: string | undefined;
  /** Keys of earlier drafts. Unknown keys are left out. */
  readonly derivedFrom?: readonly string[] | undefined;
}

/** A part of the input that becomes no fact. */
export interface ImportSkip {
  readonly at: string;
  /** The reason. A run counts skips by this text, so it is the same each time. */
  readonly skipped: string;
  /** True for a damaged part. False for one without content to import. */
  readonly isBroken: boolean;
}

export type ImportItem = ImportDraft | ImportSkip;

/** A value from a JSON file. */
export interface JsonItem {
  /** The requested list that held it, a member of the outermost object; otherwise empty. */
  readonly list: string;
  /** From 0, within its list. */
  readonly index: number;
  readonly value: unknown;
}

export interface ImportLine {
  /** From 1. */
  readonly number: number;
  /** Null for a line that is too long or not UTF-8. */
  readonly text: string | null;
}

/** One file of the input. Each method reads it from its start, and holds at most one item in memory. */
export interface ImportFile {
  /** Relative to the input, with `/` between its parts. */
  readonly path: string;
  /** Time of the last change, if known. */
  readonly modifiedMs: number | null;
  bytes(): AsyncIterable<Buffer>;
  lines(): AsyncIterable<ImportLine>;
  /**
   * The elements of an outermost array; or the elements of the named lists of an outermost object, and then that object
   * without them; or one document after the other. Throws `validation` for other input, and for a value that is too
   * deep or too large.
   */
  items(lists?: readonly string[]): AsyncIterable<JsonItem>;
  /** The whole of a small file; null if it is larger or not UTF-8. */
  text(maxBytes: number): Promise<string | null>;
}

export interface ImportInput {
  /** Name of the file or the folder, without its path. */
  readonly name: string;
  /** A file, the files below a folder, or the files of an archive; in the order of their paths. */
  files(): AsyncIterable<ImportFile>;
}

export interface ImportSettings {
  /** The values of `--map`. */
  readonly map: readonly string[];
  /**
   * An instant of the origin as RFC 3339. Text with an offset stays, text without one gets that of the run, a date
   * means its midnight, and a number counts seconds or milliseconds since 1970. Undefined for anything else.
   */
  instant(value: unknown): string | undefined;
}

/** Turns an input into facts and skips, in the order of the input. Deterministic. */
export type ImportReader = (input: ImportInput, settings: ImportSettings) => AsyncIterable<ImportItem>;

export interface ImportFormat extends Word {
  /** How users get the export, in one sentence. */
  readonly obtain: string;
  /** Loads the reader on use. */
  load(): Promise<ImportReader>;
}

const importFormats = defineVocabulary<ImportFormat>('import format', /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);

/** All formats are words of this vocabulary. */
export const IMPORT_FORMATS = importFormats;

/** Declares a format for `import-from`. The plugin lists it in `declares`. */
export const defineImportFormat = (
  id: string,
  definition: Pick<ImportFormat, 'summary' | 'obtain' | 'load'>,
): ImportFormat => importFormats.define(id, definition);
