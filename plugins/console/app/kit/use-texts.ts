import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { ENGLISH, type Texts } from '../texts/texts.ts';

export const TextsContext = createContext<Texts>(ENGLISH);

/** Returns the interface texts in the language of the reader. */
export const useTexts = (): Texts => useContext(TextsContext);
