import { CORE_FEED_KINDS, CORE_PRINCIPAL_KINDS } from '../../ports/ports.ts';
import { defineVocabulary, type Word } from './define-vocabulary.ts';

const FORM = /^[a-z][a-z0-9-]*$/;

export const PrincipalKinds = defineVocabulary('kind of principal', FORM);

/**
 * Declares a kind of caller that a plugin admits: `definePrincipalKind('badge', { summary: 'the holder of a badge' })`.
 */
export const definePrincipalKind = (id: string, definition: { readonly summary: string }): Word =>
  PrincipalKinds.define(id, definition);

export const FeedKinds = defineVocabulary('kind of feed entry', FORM);

/** Declares a kind of feed entry other than facts. Followers skip unknown kinds. */
export const defineFeedKind = (id: string, definition: { readonly summary: string }): Word =>
  FeedKinds.define(id, definition);

export const CORE_KIND_WORDS: readonly Word[] = [
  ...Object.entries(CORE_PRINCIPAL_KINDS).map(([id, summary]) => definePrincipalKind(id, { summary })),
  ...Object.entries(CORE_FEED_KINDS).map(([id, summary]) => defineFeedKind(id, { summary })),
];
