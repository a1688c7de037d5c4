import type { Memory, QueryRow } from './read-corpus.ts';
import { TOLD_AND_ASKED } from './told-and-asked.ts';

/**
 * Made-up sets that are harsh on purpose: a question shares nothing with its answer but names, and these with many
 * other facts.
 */
const MADE: Readonly<Record<string, () => Memory>> = {
  /** A talk of five speakers, who keep greeting each other by name. */
  'made-talk': () => {
    const turns = TOLD_AND_ASKED.flatMap(([told], at) => [
      { speaker: speakerAt(at), text: told },
      ...SMALL_TALK.map((text, n) => ({
        speaker: speakerAt(at + n + 1),
        text: text.replace(NAME, speakerAt(at + 2 * n)),
      })),
    ]);
    const rows = turns.map(({ speaker, text }, at) => row(`S${1 + Math.floor(at / TURNS)}:${at}`, speaker, text));
    const idOf = new Map(rows.map(({ id, text }) => [text, id]));
    return memory('made-talk', rows, (told, asked, at) => [idOf.get(told), asked.replace(NAME, speakerAt(at))]);
  },
  /** Notes of one author, who is named in every question. */
  'made-notes': () => {
    const rows = TOLD_AND_ASKED.flatMap(([told], at) => [
      row(`N:${at}`, 'Ada', told),
      row(`N:b${at}`, 'Ada', `Ada, remember number ${at} on the list.`),
    ]);
    return memory('made-notes', rows, (_, asked, at) => [`N:${at}`, asked.replace(NAME, 'Ada')]);
  },
  /** Documents of rules; a tenth as many others share a common word with every question. */
  'made-rules': () => {
    const rows = TOLD_AND_ASKED.flatMap(([told], at) => [
      row(`f${at}`, `f${at}`, `Rule ${at}. A typical case: ${told}`),
      ...(at % 10 === 0 ? [row(`g${at}`, `g${at}`, `A member may ask at the desk about rule ${at}.`)] : []),
    ]);
    return memory('made-rules', rows, (_, asked, at) => [`f${at}`, asked.replace(NAME, 'a member')]);
  },
};

/** Returns the made-up set of this name, or undefined. */
export const madeSet = (name: string): Memory | undefined => MADE[name]?.();

const NAME = 'NAME';
/** The number of turns in a session. */
const TURNS = 20;
const SPEAKERS = ['Ada', 'Bruno', 'Clara', 'Dmitri', 'Elif'] as const;
const SMALL_TALK = [
  'Hello NAME, how are you today?',
  'Thank you, NAME, I am fine.',
  'NAME, did you hear that?',
  'Oh NAME, that sounds lovely.',
  'See you soon, NAME!',
  'NAME, tell me more.',
];

const speakerAt = (at: number): string => SPEAKERS[at % SPEAKERS.length] as string;

const row = (id: string, entity: string, text: string) => ({ store: 'made', id, entity, text });

const memory = (
  store: string,
  rows: Memory['rows'],
  ask: (told: string, asked: string, at: number) => readonly [id: string | undefined, query: string],
): Memory => ({
  store,
  rows: rows.map((one) => ({ ...one, store })),
  queries: TOLD_AND_ASKED.map(([told, asked], at): QueryRow => {
    const [id = '', query] = ask(told, asked, at);
    return { store, id: `q${at}`, query, type: '', gold: { [id]: 1 } };
  }),
});
