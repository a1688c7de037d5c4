import type { JsonSchema } from '../schemas/answer-schemas.ts';
import { defineVocabulary, type Word } from './define-vocabulary.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A schema that the answers of several routes share, with its name in the API reference. */
export interface ComponentWord extends Word {
  /** The schema, or a function when words of other plugins are part of it. */
  readonly json: JsonSchema | ((vocabulary: Vocabulary) => JsonSchema);
}

export const ComponentWords = defineVocabulary<ComponentWord>('schema', /^[A-Z][A-Za-z0-9]*$/);

/**
 * Declares a schema: `defineComponent('Garden', { summary: 'a garden and its members', json: objectOf({ ... }) })`. The
 * plugin lists it in `declares`; `component(GARDEN)` then refers to it in the answers of any plugin.
 */
export const defineComponent = (id: string, definition: Pick<ComponentWord, 'summary' | 'json'>): ComponentWord =>
  ComponentWords.define(id, definition);

const PATH = '#/components/schemas/';

/** Returns a schema that refers to a component. */
export const component = ({ id }: ComponentWord): JsonSchema => ({ $ref: `${PATH}${id}` });

/** The schemas by name. */
export type Components = Readonly<Record<string, JsonSchema>>;

/** Returns all components to which the answers of a node may refer. */
export const collectComponents = (vocabulary: Vocabulary): Components =>
  Object.fromEntries(
    vocabulary.words(ComponentWords).map(({ id, json }) => [id, typeof json === 'function' ? json(vocabulary) : json]),
  );

/** Returns the component name of a `$ref`; undefined for any other reference. */
export const componentName = (reference: unknown): string | undefined =>
  typeof reference === 'string' && reference.startsWith(PATH) ? reference.slice(PATH.length) : undefined;

/**
 * Returns the names of the components to which a schema refers. Fills one list, because a start asks this of every
 * answer of every route.
 */
export const referencesIn = (json: unknown, found: string[] = []): readonly string[] => {
  if (typeof json !== 'object' || json === null) return found;
  for (const [keyword, value] of Object.entries(json)) {
    const name = keyword === '$ref' ? componentName(value) : undefined;
    if (name === undefined) referencesIn(value, found);
    else found.push(name);
  }
  return found;
};
