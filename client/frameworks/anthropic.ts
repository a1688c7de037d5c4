import type { Fact } from '../api-types.ts';
import type { Assertion, TypedValue } from '../fact-values.ts';
import { type AdapterOptions, FactSlots, type Slot } from './fact-slots.ts';
import { checkedPath, entityOf, FOLDER_SIZE, foldersOf, numbered, pathOf, ROOT, spellSize } from './file-paths.ts';

export type { AdapterOptions } from './fact-slots.ts';

const TEXT = 'file:text';
const FOLDER = 'file:directory';
const MAX_LINES = 999_999;
const SHOWN_LEVELS = 2;

/** All files and folders by their paths. */
type Tree = ReadonlyMap<string, Fact>;

/**
 * Handlers of the memory tool on a node: `betaMemoryTool(new MemoryFiles({ client, source }))`. Each file is a fact.
 * The answers are those of the SDK's local files. The view of a contested file shows every content with its source.
 */
export class MemoryFiles {
  readonly #slots: FactSlots;

  constructor(options: AdapterOptions) {
    this.#slots = new FactSlots(options);
  }

  async view({ path, view_range: range }: { path: string; view_range?: number[] }): Promise<string> {
    const place = checkedPath(path);
    const live = await this.#slots.readAll(slotOf(place));
    const [file, ...rivals] = live;
    if (file === undefined) return this.#viewFolder(path, place);
    const lines = textOf(file).split('\n');
    if (lines.length > MAX_LINES) {
      const most = MAX_LINES.toLocaleString();
      throw new Error(`File ${path} has too many lines (${lines.length}). Maximum is ${most} lines.`);
    }
    const [first = 1, last = -1] = range?.length === 2 ? range : [];
    const start = Math.max(1, first) - 1;
    const shown = lines.slice(start, last === -1 ? lines.length : last);
    const content = `Here's the content of ${path} with line numbers:\n${numbered(shown, start + 1)}`;
    return [content, ...rivals.map((rival) => describeRival(file, rival))].join('\n\n');
  }

  async create({ path, file_text: text }: { path: string; file_text: string }): Promise<string> {
    const place = checkedPath(path);
    const tree = await this.#tree();
    const folders = this.#missingFolders(tree, place);
    if (tree.has(place) || place === ROOT) {
      await this.#slots.append(folders);
      throw new Error(`File ${path} already exists`);
    }
    await this.#slots.append([...folders, this.#slots.assertion(slotOf(place), textValue(text))]);
    return `File created successfully at: ${path}`;
  }

  async str_replace(command: { path: string; old_str: string; new_str: string }): Promise<string> {
    const { path, old_str: before, new_str: after } = command;
    const live = await this.#readFile(path);
    const text = textOf(live[0]);
    const found = text.split('\n').flatMap((line, at) => (line.includes(before) ? [at + 1] : []));
    const [place, ...others] = found;
    if (place === undefined) {
      throw new Error(`No replacement was performed, old_str \`${before}\` did not appear verbatim in ${path}.`);
    }
    if (others.length > 0) {
      const where = `Multiple occurrences of old_str \`${before}\` in lines: ${found.join(', ')}.`;
      throw new Error(`No replacement was performed. ${where} Please ensure it is unique`);
    }
    const edited = text.replace(before, () => after);
    await this.#slots.write(slotOf(checkedPath(path)), textValue(edited), live);
    const start = Math.max(0, place - 3);
    const snippet = numbered(edited.split('\n').slice(start, place + 2), start + 1);
    const said = 'The memory file has been edited. Here is the snippet showing the change (with line numbers):';
    return `${said}\n${snippet}${describeSettled(live)}`;
  }

  async insert(command: { path: string; insert_line: number; insert_text: string }): Promise<string> {
    const { path, insert_line: at, insert_text: text } = command;
    const live = await this.#readFile(path);
    const lines = textOf(live[0]).split('\n');
    if (at < 0 || at > lines.length) {
      const range = `It should be within the range of lines of the file: [0, ${lines.length}]`;
      throw new Error(`Invalid \`insert_line\` parameter: ${at}. ${range}`);
    }
    lines.splice(at, 0, text.replace(/\n$/, ''));
    await this.#slots.write(slotOf(checkedPath(path)), textValue(lines.join('\n')), live);
    return `The file ${path} has been edited.${describeSettled(live)}`;
  }

  async delete({ path }: { path: string }): Promise<string> {
    const place = checkedPath(path);
    if (place === ROOT) throw new Error(`Cannot delete the ${ROOT} directory itself`);
    const ended = below(await this.#tree(), place);
    if (ended.length === 0) throw new Error(`The path ${path} does not exist`);
    await this.#slots.end(await Promise.all(ended.map((fact) => this.#slots.rivalsOf(fact))));
    return `Successfully deleted ${path}`;
  }

  async rename({ old_path: from, new_path: to }: { old_path: string; new_path: string }): Promise<string> {
    const [old, place] = [checkedPath(from), checkedPath(to)];
    if (old === ROOT) throw new Error(`Cannot rename the ${ROOT} directory itself`);
    const tree = await this.#tree();
    if (tree.has(place) || place === ROOT) throw new Error(`The destination ${to} already exists`);
    const folders = this.#missingFolders(tree, place);
    const moved = below(tree, old);
    const problem = reasonAgainst(moved, from, place.startsWith(`${old}/`));
    if (problem !== undefined) {
      await this.#slots.append(folders);
      throw new Error(problem);
    }
    const copies = moved.map((fact): Assertion => {
      const slot = { entity: entityOf(`${place}${pathOf(fact).slice(old.length)}`), relation: fact.relation };
      return { ...this.#slots.assertion(slot, fact.value), derived_from: [{ fact_id: fact.id }] };
    });
    await this.#slots.append([...folders, ...copies]);
    await this.#slots.end(moved.map((fact) => [fact]));
    return `Successfully renamed ${from} to ${to}`;
  }

  async #viewFolder(path: string, place: string): Promise<string> {
    const tree = await this.#tree();
    if (place !== ROOT && !tree.has(place)) {
      throw new Error(`The path ${path} does not exist. Please provide a valid path.`);
    }
    const shown = [...tree].flatMap(([at, fact]) => {
      const parts = at.startsWith(`${place}/`) ? at.slice(place.length + 1).split('/') : [];
      const isHidden = parts.some((part) => part.startsWith('.') || part === 'node_modules');
      if (parts.length === 0 || parts.length > SHOWN_LEVELS || isHidden) return [];
      return [{ parts, size: sizeOf(fact), end: fact.relation === FOLDER ? '/' : '' }];
    });
    shown.sort((one, other) => compareParts(one.parts, other.parts));
    const lines = shown.map(({ parts, size, end }) => `${spellSize(size)}\t${path}/${parts.join('/')}${end}`);
    const said = `Here're the files and directories up to ${SHOWN_LEVELS} levels deep in ${path}, excluding hidden items and node_modules:`;
    return [said, `${spellSize(FOLDER_SIZE)}\t${path}`, ...lines].join('\n');
  }

  async #readFile(path: string): Promise<readonly [Fact, ...Fact[]]> {
    const place = checkedPath(path);
    const [file, ...rivals] = await this.#slots.readAll(slotOf(place));
    if (file !== undefined) return [file, ...rivals];
    if (place === ROOT || (await this.#slots.read({ entity: entityOf(place), relation: FOLDER })) !== undefined) {
      throw new Error(`The path ${path} is not a file.`);
    }
    throw new Error(`The path ${path} does not exist. Please provide a valid path.`);
  }

  async #tree(): Promise<Tree> {
    const facts = [...(await this.#slots.list({ relation: FOLDER })), ...(await this.#slots.list({ relation: TEXT }))];
    return new Map(facts.map((fact) => [pathOf(fact), fact]));
  }

  /** Returns the folders above a path that do not exist yet. */
  #missingFolders(tree: Tree, place: string): Assertion[] {
    const folders = foldersOf(place);
    const file = folders.find((folder) => tree.get(folder)?.relation === TEXT);
    if (file !== undefined) throw new Error(`The path ${file} is a file, not a directory`);
    const missing = folders.filter((folder) => !tree.has(folder));
    const exists = { type: 'boolean', v: true } as const;
    return missing.map((folder) => this.#slots.assertion({ entity: entityOf(folder), relation: FOLDER }, exists));
  }
}

const slotOf = (path: string): Slot => ({ entity: entityOf(path), relation: TEXT });
const textValue = (v: string): TypedValue => ({ type: 'text', v });
const textOf = ({ value }: Fact): string => String(value.v);
const sizeOf = (fact: Fact): number =>
  fact.relation === FOLDER ? FOLDER_SIZE : new TextEncoder().encode(textOf(fact)).length;

/** Returns the file or folder at a path, and everything below it. */
const below = (tree: Tree, place: string): Fact[] =>
  [...tree].filter(([at]) => at === place || at.startsWith(`${place}/`)).map(([, fact]) => fact);

const reasonAgainst = (moved: readonly Fact[], from: string, isInside: boolean): string | undefined => {
  if (moved.length === 0) return `The path ${from} does not exist`;
  if (isInside) return `The path ${from} cannot be renamed to a path inside itself`;
  if (moved.some(({ contradicted }) => contradicted)) return `The path ${from} is contradicted. Edit it first.`;
  return undefined;
};

const compareParts = (one: readonly string[], other: readonly string[]): number => {
  for (const [at, part] of one.entries()) {
    const against = other[at];
    if (against === undefined) return 1;
    if (part !== against) return part < against ? -1 : 1;
  }
  return -1;
};

const describeRival = (file: Fact, rival: Fact): string =>
  `This file is contradicted. Above is the content of ${file.source}, asserted ${file.timestamp}. ` +
  `${rival.source} asserted ${rival.timestamp}:\n${numbered(textOf(rival).split('\n'), 1)}`;

const describeSettled = ([, ...rivals]: readonly Fact[]): string =>
  rivals.length === 0
    ? ''
    : `\nThis ended the contradicting content of ${rivals.map(({ source }) => source).join(', ')}.`;
