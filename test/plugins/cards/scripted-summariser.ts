import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { type CardMaterial, CardSummariser } from '../../../plugins/cards/cards-api.ts';

/** A requested summary that waits until the test resolves it. */
export interface AskedSummary {
  readonly material: CardMaterial;
  readonly signal: AbortSignal;
  answer(summary: string): void;
  fail(error: Error): void;
}

/** A summariser whose results and times are under control of the test. */
export interface ScriptedSummariser {
  readonly plugin: AnyPlugin;
  readonly asked: AskedSummary[];
  id: string;
}

export const createScriptedSummariser = (): ScriptedSummariser => {
  const asked: AskedSummary[] = [];
  const scripted = { asked, id: 'scripted-1' };
  const summariser: CardSummariser = {
    get id() {
      return scripted.id;
    },
    summarise: (material, signal) =>
      new Promise((answer, fail) => {
        asked.push({ material, signal, answer, fail });
      }),
  };
  const plugin = defineOwnPlugin({
    name: 'scripted-summariser',
    provides: [CardSummariser],
    setup: ({ provide }) => provide(CardSummariser, summariser),
  });
  return Object.assign(scripted, { plugin });
};
