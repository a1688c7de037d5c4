import type { ComponentChildren } from 'preact';
import type { Texts } from '../texts/texts.ts';
import { Term } from './term.tsx';
import { useTexts } from './use-texts.ts';

export type FactTermName = keyof Texts['fact']['means'];

/** Returns the name of a term of facts on the screen of terms. */
export const placeOfFactTerm = (name: string): string => `fact-${name}`;

/** The label of a number of a fact, with its meaning. */
export const FactTerm = ({ name, children }: { name: FactTermName; children: ComponentChildren }) => (
  <Term name={placeOfFactTerm(name)} means={useTexts().fact.means[name]}>
    {children}
  </Term>
);
