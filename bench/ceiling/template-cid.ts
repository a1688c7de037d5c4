import { hash } from 'node:crypto';

/** The members that make up a content identifier. */
export interface CidMembers {
  readonly entity: string;
  readonly relation: string;
  readonly value: { readonly type: string; readonly v: unknown };
  readonly source: string;
  readonly confidence: number;
  readonly scope: string;
}

/**
 * Content identifier of six members whose names, and so whose order, are fixed: a template in the order of RFC 8785
 * costs half of sorting. `JSON.stringify` writes strings and finite numbers exactly as that RFC asks for.
 */
export const templateCid = (fact: CidMembers): string => {
  const text =
    `{"confidence":${JSON.stringify(fact.confidence)},"entity":${JSON.stringify(fact.entity)}` +
    `,"relation":${JSON.stringify(fact.relation)},"scope":${JSON.stringify(fact.scope)}` +
    `,"source":${JSON.stringify(fact.source)}` +
    `,"value":{"type":${JSON.stringify(fact.value.type)},"v":${JSON.stringify(fact.value.v)}}}`;
  return `sha256:${hash('sha256', text)}`;
};
