import { defineVocabulary, type FactValue, type Scope, type Word } from '../../kernel/plugin-api.ts';

/** One fact from the export of another product. */
export interface ImportDraft {
  /** The kind of item in one word, for example `message`. A run counts drafts by it. */
  readonly kind: string;
  /** The place in the input, for people: a file with a line, or the path of an item. */
  readonly at: string;
  readonly entity: string;
  /**
   * The relation. A triple holds one value, so if the original product allows several, the relation ends with a
   * distinguishing part.
   */
  readonly relation: string;
  readonly value: Pick<FactValue, 'type' | 'v'>;
  /** The author, role or agent that the origin names. */
  readonly source: string;
  /** RFC 3339, as in the original product. */
  readonly timestamp?: string | undefined;
  readonly validFrom?: string | undefined;
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

/** A part of the input that does not become a fact. */
export interface ImportSkip {
  readonly at: string;
  /** The reason. Equal reasons use the same text, because a run counts skips by it. */
  readonly skipped: string;
  /** True for damaged data, false for data without importable content. */
  readonly isBroken: boolean;
  /** True for a file or an item of another format. The command refuses an input that contains nothing else. */
  readonly isForeign?: boolean;
}

/** A remark about an item that the command still imports. */
export interface ImportRemark {
  readonly at: string;
  /** The text of the remark. Equal remarks need equal texts, because a run counts remarks by text. */
  readonly remark: string;
}

export type ImportItem = ImportDraft | ImportSkip | ImportRemark;

/** A value from a JSON file. */
export interface JsonItem {
  /** The name of the requested list that contained the value. Empty for a value outside such lists. */
  readonly list: string;
  /** Position within the list, from 0. */
  readonly index: number;
  readonly value: unknown;
}

export interface ImportLine {
  /** Line number, from 1. */
  readonly number: number;
  /** Null for a line that is too long or not UTF-8. */
  readonly text: string | null;
}

/**
 * One file of the input. Each method reads it from the start, and holds at most one item in memory. All methods except
 * `bytes` decode text by its byte order mark, otherwise by the encoding of the run, otherwise as UTF-8. They throw
 * `validation` for bytes that are invalid in that encoding, unless the method says otherwise.
 */
export interface ImportFile {
  /** Relative to the input, with `/` between its parts. */
  readonly path: string;
  /** Time of the last change, if known. */
  readonly modifiedMs: number | null;
  /** Yields the bytes unchanged. */
  bytes(): AsyncIterable<Buffer>;
  /** Yields the text as UTF-8, without a byte order mark. */
  utf8(): AsyncIterable<Buffer>;
  /** Yields the lines. The text of a line that is not UTF-8 is null. */
  lines(): AsyncIterable<ImportLine>;
  /**
   * Yields the elements of an outermost array. For an outermost object, yields the elements of the named lists, then
   * the object without them. Otherwise yields one document after another. Throws `validation` for other input, and for
   * a value that is too deep or too large.
   */
  items(lists?: readonly string[]): AsyncIterable<JsonItem>;
  /** Returns the whole text of a small file. Null if the file is larger or not UTF-8. */
  text(maxBytes: number): Promise<string | null>;
}

export interface ImportInput {
  /** Name of the file or the folder, without its path. */
  readonly name: string;
  /** A file, the files below a folder, or the files of an archive; in the order of their paths. */
  files(): AsyncIterable<ImportFile>;
}

export interface ImportSettings {
  /** When the run began, in milliseconds since 1970. */
  readonly nowMs: number;
  /** The values of `--map`. */
  readonly map: readonly string[];
  /**
   * Converts an instant of the original product to RFC 3339. Text with an offset is kept, and text without one gets the
   * offset of the run. A date becomes its midnight. A number counts seconds or milliseconds since 1970. Returns
   * undefined for anything else.
   */
  instant(value: unknown): string | undefined;
  /**
   * Converts an instant at which something ends, like `instant`, except that a date becomes the end of its day.
   * `offset` replaces the offset of the run, for a product with its own time zone.
   */
  end(value: unknown, offset?: string): string | undefined;
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

/** The vocabulary of all formats. */
export const IMPORT_FORMATS = importFormats;

/** Declares a format for `import-from`. The plugin lists it in `declares`. */
export const defineImportFormat = (
  id: string,
  definition: Pick<ImportFormat, 'summary' | 'obtain' | 'load'>,
): ImportFormat => importFormats.define(id, definition);
