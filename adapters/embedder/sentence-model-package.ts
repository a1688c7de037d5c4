import { ServiceError } from '../../ports/ports.ts';

/** The default export of a model package, as far as the node uses it. */
export interface SentenceModel {
  /** The name of the model. */
  readonly id: string;
  readonly dimensions: number;
}

/** The locations of the packages of a sentence model, and its description. */
export interface SentenceModelPlace {
  /** The URL of the engine module. */
  readonly engine: string;
  readonly model: string;
  readonly manifest: SentenceModel;
}

/**
 * The name of the package that runs the model, as a constant, so that compilers and bundlers do not resolve the
 * optional package.
 */
export const SENTENCE_ENGINE = '@lat.md/embed';

/**
 * Finds both packages, which operators install beside the node. Throws `ServiceError('unavailable')` with the install
 * command.
 */
export const findSentenceModel = async (
  model: string,
  resolve: (specifier: string) => string = (specifier) => import.meta.resolve(specifier),
): Promise<SentenceModelPlace> => {
  const places = [SENTENCE_ENGINE, model].map((specifier) => whereIs(specifier, resolve));
  const [engine, place] = places;
  if (engine === undefined || place === undefined) throw missing(model);
  const { default: manifest } = (await import(place).catch((cause: unknown) => {
    throw missing(model, cause);
  })) as { readonly default?: Partial<SentenceModel> };
  const { id, dimensions } = manifest ?? {};
  if (typeof id !== 'string' || !Number.isInteger(dimensions)) {
    throw new ServiceError(
      'unavailable',
      `${model} is no model for ${SENTENCE_ENGINE}: check SVC_EMBED_SENTENCE_MODEL`,
    );
  }
  return { engine, model: place, manifest: { id, dimensions: dimensions as number } };
};

const whereIs = (specifier: string, resolve: (specifier: string) => string): string | undefined => {
  try {
    return resolve(specifier);
  } catch {
    return undefined;
  }
};

const missing = (model: string, cause?: unknown): ServiceError =>
  new ServiceError(
    'unavailable',
    `a sentence model needs two packages beside the node: run "npm install ${SENTENCE_ENGINE} ${model}"`,
    {
      hint: 'run it in the folder where the node is installed, with --global after a global install',
      ...(cause === undefined ? {} : { cause }),
    },
  );
