import type { RouteQuestion } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import type { AskNode } from './ask-node.ts';

/** Members of problem documents that list facts, and their headings for a model. */
const FACT_LISTS = { live_fact_ids: 'Live facts', conflicting_fact_ids: 'Conflicting facts' } as const;
type FactLists = { readonly [member in keyof typeof FACT_LISTS]?: readonly string[] };

/** The parts of a problem document that a model can use. */
export interface ToldProblem extends FactLists {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly hint?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
  /** Seconds. */
  readonly retry_after?: number;
}

/** A refusal by a route, which a tool returns as its own error. */
export class RefusedQuestion extends Error {
  override readonly name = 'RefusedQuestion';
  readonly problem: ToldProblem;

  constructor(problem: ToldProblem) {
    super(problem.detail);
    this.problem = problem;
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Requests a document from a route. Throws `RefusedQuestion` with the problem for any status of 400 or more. */
export const ask = async (node: Pick<AskNode, 'send'>, question: RouteQuestion): Promise<JsonObject> => {
  const { status, text } = await node.send(question);
  const document = readObject(text);
  if (status >= 400) throw new RefusedQuestion(problemIn(document, status));
  return document;
};

const readObject = (text: string): JsonObject => {
  if (text === '') return {};
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : { items: value };
};

const problemIn = (document: JsonObject, status: number): ToldProblem => {
  const { code, detail, hint, errors, retry_after } = document;
  return {
    code: typeof code === 'string' ? code : 'unknown',
    status,
    detail: typeof detail === 'string' ? detail : `the node replied with status ${status}`,
    ...(typeof hint === 'string' && { hint }),
    ...(Array.isArray(errors) && { errors: errors as NonNullable<ToldProblem['errors']> }),
    ...(typeof retry_after === 'number' && { retry_after }),
    ...Object.fromEntries(Object.entries(document).filter(([member]) => Object.hasOwn(FACT_LISTS, member))),
  };
};

/** Returns the error for a client. It describes a fault of a caller or resource, and hides the details of a bug. */
export const refusalOf = (error: unknown, { report }: { report(error: unknown): void }): RefusedQuestion => {
  if (error instanceof RefusedQuestion) return error;
  if (error instanceof ServiceError) {
    const { code, status, message: detail, hint } = error;
    return new RefusedQuestion({ code, status, detail, ...(hint !== undefined && { hint }) });
  }
  report(error);
  return new RefusedQuestion({
    code: 'internal',
    status: 500,
    detail: 'the tool failed; the log of the node says why',
  });
};

/** Returns the problem as lines for a model. */
export const problemText = ({ code, detail, hint, errors = [], retry_after, ...lists }: ToldProblem): string =>
  [
    `${detail} (${code})`,
    ...Object.entries(FACT_LISTS).flatMap(([member, words]) => {
      const ids = lists[member as keyof FactLists];
      return ids === undefined ? [] : [`${words}: ${ids.join(', ') || 'none'}`];
    }),
    ...errors.map(({ path, message }) => `- ${path}: ${message}`),
    ...(hint === undefined ? [] : [`Hint: ${hint}`]),
    ...(retry_after === undefined ? [] : [`Try again in ${retry_after} s.`]),
  ].join('\n');
