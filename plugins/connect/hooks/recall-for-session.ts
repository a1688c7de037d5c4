import type { CommandServer } from '../../../kernel/command-api.ts';
import { foldName } from '../../../kernel/internal-api.ts';
import { type Random, ServiceError } from '../../../kernel/plugin-api.ts';
import type { UserFolders } from '../user-folders.ts';
import { isAbout, mentions } from './fact-relevance.ts';
import type { HookInput } from './hook-input.ts';
import { isOfAgent, noteId, notePrefix, SAID } from './note-session.ts';
import type { Project } from './project.ts';
import { type RecalledFact, readRecalled, recalledText } from './recalled-text.ts';
import { readState, saveState } from './session-state.ts';

/** The parsed input of a hook, with its services. */
export interface HookRun {
  readonly input: HookInput;
  readonly project: Project;
  readonly folders: UserFolders;
  readonly server: CommandServer;
}

export interface RecallWish {
  readonly event: 'SessionStart' | 'UserPromptSubmit';
  /** The question. At the start of a session it is the name of the project. */
  readonly query: string;
  readonly budget: number;
  /** True to recall the notes of every project. */
  readonly shareNotes: boolean;
}

const LEAST_SCORE = 0.3;
/** The minimum score of a note. It is low, because scores are relative to the best note. */
const LEAST_NOTE_SCORE = 0.05;
/** The minimum share of the best vector score with which a fact without common words counts as relevant. */
const NEAR_IN_MEANING = 0.6;

/** Recalls facts that this session has not seen yet, and returns them as text for a model; empty without any. */
export const recallForSession = async (
  { input, project, folders, server }: HookRun,
  { event, query, budget, shareNotes }: RecallWish,
  random: Random,
): Promise<string> => {
  if (budget === 0) return '';
  // After these events, the model's context no longer contains the facts that were shown before.
  const isAnew = event === 'SessionStart' && (input.begin === 'clear' || input.begin === 'compact');
  const state = await readState(folders, input.session);
  const before = isAnew ? [] : state.shown;
  const known = new Set(before);
  const own = new Set(isAnew ? [] : state.noted);
  const place = shareNotes ? {} : { entities: [`${notePrefix(project)}*`] };
  // Asks for facts and for notes separately, so that many notes cannot displace all facts.
  const [facts, notes] = await Promise.all([
    ask(server, { query, token_budget: budget, exclude_relations: [SAID] }),
    ask(server, { query: `${project.key} ${query}`, token_budget: budget, relation: SAID, ...place }),
  ]);
  const isFactWanted = event === 'SessionStart' ? isAboutProject(project) : isAboutPrompt(query, facts);
  const isNoteWanted = event === 'SessionStart' ? () => true : isAboutPrompt(query, notes);
  const isOfProject = ({ entity }: RecalledFact): boolean => shareNotes || noteId(project, entity) !== undefined;
  const found = [
    ...facts.filter((fact) => fact.score >= LEAST_SCORE && isFactWanted(fact)),
    ...notes.filter((note) => note.score >= LEAST_NOTE_SCORE && isOfProject(note) && isNoteWanted(note)),
  ].filter(({ id, entity }) => !known.has(id) && !own.has(entity.slice(entity.lastIndexOf('/') + 1)));
  const { text, shown } = recalledText(withinBudget(found.toSorted(bestFirst), budget));
  if (text !== '') await saveState(folders, input.session, { ...state, shown: [...before, ...shown] }, random);
  return text;
};

const ask = async (server: CommandServer, body: object): Promise<readonly RecalledFact[]> => {
  const reply = await server.send({
    method: 'POST',
    path: '/v1/recall',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  });
  if (reply.status !== 200) throw new ServiceError('unavailable', `the node replied with status ${reply.status}`);
  return readRecalled(reply.document);
};

type Wanted = (fact: RecalledFact) => boolean;

/** Returns true for a fact whose text names the project, unless it is about another repository of the same name. */
const isAboutProject = ({ key, name }: Project): Wanted => {
  const own = foldName(`project:${key}`);
  return ({ entity, text }) => {
    const about = foldName(entity);
    if (about === own || about.startsWith(`${own}/`)) return true;
    const isOther = about.startsWith('project:') && about.includes('/');
    return !isOther && mentions(`${entity} ${text}`, name);
  };
};

const isAboutPrompt = (prompt: string, found: readonly RecalledFact[]): Wanted => {
  // If words found nothing, the best vector score is 1 even for a very different text.
  const isCalibrated = found.some(({ lexical }) => lexical > 0);
  return ({ entity, relation, text, semantic }) =>
    (isCalibrated && semantic >= NEAR_IN_MEANING) ||
    isAbout(prompt, relation === SAID ? text : `${entity} ${relation} ${text}`);
};

/** Orders facts by score, but words of an agent always after words of a person. */
const bestFirst = (a: RecalledFact, b: RecalledFact): number =>
  Number(isAgentNote(a)) - Number(isAgentNote(b)) || b.score - a.score;

const isAgentNote = ({ relation, entity }: RecalledFact): boolean => relation === SAID && isOfAgent(entity);

const withinBudget = (facts: readonly RecalledFact[], budget: number): readonly RecalledFact[] => {
  let left = budget;
  return facts.filter(({ tokens }) => {
    if (tokens > left) return false;
    left -= tokens;
    return true;
  });
};
