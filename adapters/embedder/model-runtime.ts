import { ServiceError } from '../../ports/ports.ts';

/** A tensor as the runtime gives it: rows one behind the other. */
export interface Tensor {
  readonly data: ArrayLike<number | bigint>;
  readonly dims: readonly number[];
}

/** The used part of `@huggingface/transformers`. */
export interface ModelRuntime {
  readonly env: { allowRemoteModels: boolean; allowLocalModels: boolean; localModelPath: string };
  readonly AutoTokenizer: { from_pretrained(name: string, options: object): Promise<Tokenizer> };
  readonly AutoModel: { from_pretrained(name: string, options: object): Promise<Model> };
}

export type Tokenizer = (
  texts: readonly string[],
  options: { readonly padding: boolean; readonly truncation: boolean; readonly max_length: number },
) => { readonly attention_mask: Tensor };

export type Model = (inputs: object) => Promise<{ readonly last_hidden_state?: Tensor }>;

/** Imports the runtime, which operators install where they want it: it is a hundred times the size of the node. */
export const importModelRuntime = async (
  load: (specifier: string) => Promise<unknown> = (specifier) => import(specifier),
): Promise<ModelRuntime> => {
  try {
    return (await load(PACKAGE)) as ModelRuntime;
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException | null)?.code === 'ERR_MODULE_NOT_FOUND';
    const what = isMissing ? 'is not installed' : 'cannot be loaded';
    throw new ServiceError(
      'unavailable',
      `a local model needs the package ${PACKAGE}, which ${what}: run "${INSTALL}"`,
      {
        cause,
      },
    );
  }
};

/** A constant, because compiler and bundler must not look for an optional package in an import. */
const PACKAGE = '@huggingface/transformers';
/** The variable leaves out downloads that processors do not need. */
const INSTALL = `ONNXRUNTIME_NODE_INSTALL=skip npm install ${PACKAGE}`;
