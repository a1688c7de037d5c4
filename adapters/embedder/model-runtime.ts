import { ServiceError } from '../../ports/ports.ts';

/** A tensor of the runtime, with its rows one after another. */
export interface Tensor {
  readonly data: ArrayLike<number | bigint>;
  readonly dims: readonly number[];
}

/** The part of `@huggingface/transformers` that the node uses. */
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

/**
 * Imports the runtime from where the operator has installed it. The package does not contain it, because it is a
 * hundred times the size of the node.
 */
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
      { hint: 'run it in the folder where the node is installed, with --global after a global install', cause },
    );
  }
};

/** The package name as a constant, so that compilers and bundlers do not resolve the optional package. */
const PACKAGE = '@huggingface/transformers';
/** The install command. Its variable skips downloads for processors that the node does not use. */
const INSTALL = `ONNXRUNTIME_NODE_INSTALL=skip npm install ${PACKAGE}`;
