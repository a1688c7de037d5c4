import { defineVocabulary, type FactValue, type Scope, type Word } from '../../kernel/plugin-api.ts';

/** One fact as an export of another product says it. */
export interface ImportDraft {
  /** What it was there, in one word, for example `message`. A run counts its drafts by it. */
  readonly kind: string;
  /** Where it stands in the input, for people: a file with a line, or the place of an item. */
  readonly at: string;
  readonly entity: string;
  /** A triple holds one value. Where the origin allows several, the relation ends with what tells them apart. */
  readonly relation: string;
  readonly value: Pick<FactValue, 'type' | 'v'>;
  /** The author, role or agent that the origin names. */
  readonly source: string;
  /** RFC 3339, as the origin has it. */
  readonly timestamp?: string | undefined;
  readonly validUntil?: string | undefined;
  readonly confidence?: number | undefined;
  /** In place of the scope and the garden of the run. */
  readonly scope?: Scope | undefined;
  readonly garden?: string | undefined;
  /** The conversation in which it was said. */
  readonly session?: string | undefined;
  /** Identifies the draft within the input, for drafts that come later and derive from it. */
  readonly key?: string | undefined;
  /** Keys of earlier drafts. A key that no draft had is left out. */
  readonly derivedFrom?: readonly string[] | undefined;
}

/** A part of the input that becomes no fact. */
export interface ImportSkip {
  readonly at: string;
  /** The same words for the same reason: a run counts by them. */
  readonly skipped: string;
  /** True for a part that is damaged. False for one that holds nothing to keep. */
  readonly isBroken: boolean;
}

export type ImportItem = ImportDraft | ImportSkip;

/** A value out of a JSON file. */
export interface JsonItem {
  /** The member of the outermost object that held it, one of the lists that were asked for; otherwise empty. */
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

/** One file of the input. Each method reads it from its start, and holds no more than one item of it in memory. */
export interface ImportFile {
  /** Relative to the input, with `/` between its parts. */
  readonly path: string;
  /** When it was last changed, where the input knows. */
  readonly modifiedMs: number | null;
  bytes(): AsyncIterable<Buffer>;
  lines(): AsyncIterable<ImportLine>;
  /**
   * The elements of an outermost array; the elements of the named lists of an outermost object, and then that object
   * without them; or one document after the other. Throws `validation` for anything else, a value that is nested too
   * deep or is too large.
   */
  items(lists?: readonly string[]): AsyncIterable<JsonItem>;
  /** The whole of a small file; null when it is larger or not UTF-8. */
  text(maxBytes: number): Promise<string | null>;
}

export interface ImportInput {
  /** Of the file or the folder, without the folders above. */
  readonly name: string;
  /** A file, the files below a folder, or the files of an archive; in the order of their paths. */
  files(): AsyncIterable<ImportFile>;
}

export interface ImportSettings {
  /** What `--map` says. */
  readonly map: readonly string[];
  /**
   * An instant of the origin as RFC 3339: text with an offset stays as it is, text without one gets that of the run, a
   * date means its midnight, a number counts seconds or milliseconds since 1970. Undefined for anything else.
   */
  instant(value: unknown): string | undefined;
}

/** Turns an input into facts and skips, in the order of the input, and the same for the same input. */
export type ImportReader = (input: ImportInput, settings: ImportSettings) => AsyncIterable<ImportItem>;

export interface ImportFormat extends Word {
  /** Where its users get the export, in one sentence. */
  readonly obtain: string;
  /** Loads the reader when the format is used. */
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
