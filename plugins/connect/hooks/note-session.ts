import { askServer, type CommandServer } from '../../../kernel/command-api.ts';
import { sha256Hex } from '../../../kernel/plugin-api.ts';
import { readCaller } from '../client-key.ts';
import type { HookInput } from './hook-input.ts';
import type { Project } from './project.ts';
import { withoutSecrets } from './secret-values.ts';
import { readTranscript, type Said } from './transcript.ts';

export const SAID = 'memory:said';
const MAX_SAID_LENGTH = 4_000;
const CUT_MARK = ' […]';

export interface NotedSession {
  /** Last parts of the entities that the memory holds now. */
  readonly noted: readonly string[];
  /** Number of values that look like secrets. */
  readonly masked: number;
  /** Prompts that the node refused. */
  readonly refused: number;
}

/** Begins the entity of each note of a project. Each prompt has an entity of its own, so that none contradict. */
export const notePrefix = ({ key }: Project): string => `project:${key}/note/`;

/** Returns the last part of the entity of a note of the project; undefined for any other entity. */
export const noteId = (project: Project, entity: string): string | undefined => {
  const prefix = notePrefix(project);
  const id = entity.startsWith(prefix) ? entity.slice(prefix.length) : '';
  return NOTE_ID.test(id) ? id : undefined;
};

/** Tells a note from an entity of another project whose address continues this one. */
const NOTE_ID = /^[0-9a-f]{16}$/;

/**
 * Stores the user's prompts of a session, word for word, as local facts. Skips prompts stored before; the node also
 * recognises repeated requests.
 */
export const noteSession = async (
  { transcript }: HookInput,
  project: Project,
  user: string,
  known: ReadonlySet<string>,
  server: CommandServer,
): Promise<NotedSession> => {
  const said = transcript === undefined ? [] : await readTranscript(transcript);
  const fresh = said.filter(({ id }) => !known.has(id));
  const cleaned = fresh.map((one) => ({ ...one, ...withoutSecrets(one.text.toWellFormed().replaceAll('\u0000', '')) }));
  const masked = cleaned.reduce((sum, one) => sum + one.masked, 0);
  const tellable = cleaned.filter(({ text }) => text.trim() !== '');
  const facts = tellable.map((one) => factOf(one, project, `user:${user}`));
  let refused = facts.length === 0 ? [] : await store(facts, server);
  if (refused.some(({ code }) => code === 'source_attestation_failed')) {
    // The node accepts only facts whose source is the key's own entity.
    const source = (await readCaller(server))?.entity ?? '';
    const again = refused.map(({ index }) => ({ ...(facts[index] as Fact), source }));
    refused = await store(again, server);
  }
  return { noted: fresh.map(({ id }) => id), masked, refused: refused.length };
};

type Fact = ReturnType<typeof factOf>;

const factOf = ({ id, text, timestamp }: Said, project: Project, source: string) => ({
  entity: `${notePrefix(project)}${id}`,
  relation: SAID,
  value: { type: 'string', v: cut(text.trim()) },
  source,
  scope: 'local',
  ...(timestamp === undefined ? {} : { timestamp }),
});

const cut = (text: string): string =>
  text.length <= MAX_SAID_LENGTH
    ? text
    : `${text.slice(0, MAX_SAID_LENGTH - CUT_MARK.length).toWellFormed()}${CUT_MARK}`;

interface Refused {
  readonly index: number;
  readonly code: unknown;
}

const store = async (facts: readonly Fact[], server: CommandServer): Promise<readonly Refused[]> => {
  const body = JSON.stringify(facts);
  const { document } = await askServer(server, {
    method: 'POST',
    path: '/v1/facts/batch',
    body: facts,
    headers: { 'idempotency-key': `said-${sha256Hex(body)}` },
  });
  const results = Array.isArray(document['results']) ? (document['results'] as Record<string, unknown>[]) : [];
  return results.flatMap(({ index, status, error }) =>
    Number(status) < 400 ? [] : [{ index: Number(index), code: (error as { readonly code?: unknown } | null)?.code }],
  );
};
