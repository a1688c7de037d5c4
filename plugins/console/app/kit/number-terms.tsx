import type { Texts } from '../texts/texts.ts';
import { Term } from './term.tsx';
import { useTexts } from './use-texts.ts';

export type NumberTermName = keyof Texts['terms']['numbers'];

/** Returns the name of a number of the console on the screen of terms. */
export const placeOfNumber = (name: string): string => `number-${name}`;

/** A number of the console, or its label, with its meaning. */
export const NumberTerm = ({ name, children }: { name: NumberTermName; children?: string }) => {
  const { title, means } = useTexts().terms.numbers[name];
  return (
    <Term name={placeOfNumber(name)} means={means}>
      {children ?? title}
    </Term>
  );
};

/** The numbers of a table or a list, below it, each with its meaning. On a phone the table has no visible head. */
export const NumberTerms = ({ names }: { names: readonly NumberTermName[] }) => (
  <p class="number-terms muted">
    {useTexts().terms.numbersMean}
    {names.map((name) => (
      <NumberTerm key={name} name={name} />
    ))}
  </p>
);
