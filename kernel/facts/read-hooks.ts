import type { Filter } from '../../ports/ports.ts';
import { defineCollectHook, defineFilterHook } from '../hooks/define-hook.ts';
import type { FactView } from './fact-view.ts';
import type { ReadContext } from './reader-api.ts';

/**
 * Before any read. All filters hold together; a throw fails the read. Called with the view `visible` for filters that
 * hold in every view, and with `current` for filters of a default query only. No answer is cached unless every handler
 * is registered with `{ cacheable: true }`.
 */
export const readConstrain = defineCollectHook<ReadContext, Filter>('read:constrain');

/**
 * After a read. Handlers add marks to facts that the caller may see. No answer is cached unless every handler is
 * registered with `{ cacheable: true }`.
 */
export const readAnnotate = defineFilterHook<readonly FactView[], ReadContext>('read:annotate');

/** The caller and entity whose answers may be cached, and the moment of the read. */
export interface NextChangeQuestion extends Pick<ReadContext, 'caller' | 'snapshot' | 'nowMs'> {
  readonly entityKey: string;
}

/**
 * Returns the next instant (milliseconds) at which the plugin's `cacheable` handlers change their results about the
 * entity without a commit. Plugins whose results do not change with time need no handler.
 */
export const readNextChange = defineCollectHook<NextChangeQuestion, number>('read:next-change');
