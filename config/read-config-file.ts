import { readFileSync } from 'node:fs';
import { parseStrictJson } from '../kernel/http/strict-json.ts';
import type { Settings } from '../kernel/plugins/plugin-config.ts';
import { type BootProblem, problemOf } from '../kernel/problems/boot-problem.ts';
import { closestName } from '../kernel/text/closest-name.ts';
import { ServiceError } from '../ports/service-error.ts';

/** The names of the replaceable adapters in the configuration. */
export const ADAPTER_SLOTS = [
  'store',
  'transport',
  'embedder',
  'previousEmbedder',
  'clock',
  'authorizer',
  'keySource',
] as const;
export type AdapterSlotName = (typeof ADAPTER_SLOTS)[number];

/** The configuration file, or overrides by a program. Every part is optional. */
export interface NodeConfigInput {
  readonly node?: Settings;
  /**
   * The adapters, each with its settings and with `use`, the name of an adapter, or `from`, the path or package of a
   * third party's.
   */
  readonly adapters?: Readonly<Partial<Record<AdapterSlotName, Settings>>>;
  /**
   * The plugins by name: disabled, enabled, or enabled with these settings. A third party's plugin has `from`: a path
   * or a package. A text names a plugin that takes its place: `"search": "postgres"`.
   */
  readonly plugins?: Readonly<Record<string, boolean | Settings | string>>;
}

const MARK = Buffer.from('\uFEFF');

/** Returns the valid parts of the file; the rest is left out, with a problem for each part. Empty without a file. */
export const readConfigFile = (configFile: string | undefined, problems: BootProblem[]): NodeConfigInput =>
  checkFrame(parseConfigFile(configFile, problems), problems);

const parseConfigFile = (configFile: string | undefined, problems: BootProblem[]): unknown => {
  if (configFile === undefined) return {};
  let bytes: Buffer;
  try {
    bytes = readFileSync(configFile);
  } catch (error) {
    problems.push(
      (error as NodeJS.ErrnoException).code === 'ENOENT'
        ? { message: `there is no configuration file ${configFile}`, hint: 'check the path after --config' }
        : problemOf(error, 'the configuration file cannot be read'),
    );
    return {};
  }
  try {
    // Editors on Windows put a byte order mark before the text.
    return parseStrictJson(bytes.subarray(bytes.indexOf(MARK) === 0 ? MARK.length : 0), 'configuration file');
  } catch (error) {
    // The message has the position only, because the file may contain secrets.
    if (!(error instanceof ServiceError)) throw error;
    problems.push({
      message: error.message,
      hint: 'the file is JSON in UTF-8, without comments, trailing commas and repeated names',
    });
    return {};
  }
};

const FRAME: Readonly<Record<string, readonly string[] | undefined>> = {
  node: undefined,
  adapters: ADAPTER_SLOTS,
  plugins: undefined,
};

/** Checks that all parts are known and are objects; their own schemas check the content. */
const checkFrame = (file: unknown, problems: BootProblem[]): NodeConfigInput => {
  if (!isPlain(file)) {
    problems.push({ message: 'the configuration file must hold a JSON object' });
    return {};
  }
  const valid: Record<string, unknown> = {};
  for (const [section, value] of Object.entries(file)) {
    const members = FRAME[section];
    if (!Object.hasOwn(FRAME, section)) problems.push(unknownName(section, section, Object.keys(FRAME)));
    else if (!isPlain(value)) problems.push({ message: `${section} accepts a JSON object` });
    else if (members === undefined) valid[section] = value;
    else valid[section] = checkMembers(section, value, members, problems);
  }
  return valid as NodeConfigInput;
};

const checkMembers = (
  section: string,
  value: Settings,
  members: readonly string[],
  problems: BootProblem[],
): Settings => {
  const valid: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const where = `${section}.${name}`;
    if (!members.includes(name)) problems.push(unknownName(where, name, members));
    else if (!isPlain(member)) problems.push({ message: `${where} accepts a JSON object` });
    else valid[name] = member;
  }
  return valid;
};

const unknownName = (where: string, name: string, known: readonly string[]): BootProblem => {
  const near = closestName(name, known);
  return {
    message: `${where} is not a setting`,
    hint: near === undefined ? `known are ${known.join(', ')}` : `did you mean ${near}?`,
  };
};

export const isPlain = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
