import type { AskNode } from './ask-node.ts';

/** One kind of thing that a client can read by an address: `memory://<name>/{<variable>}`. */
export interface ResourceDefinition {
  readonly name: string;
  readonly variable: string;
  readonly title: string;
  readonly description: string;
  readonly routes: readonly string[];
  /** The document for a value of the variable, as it is. */
  read(value: string, node: AskNode): Promise<unknown>;
  /** Values that begin like this, of those that the caller may see; at most 100. */
  complete(begun: string, node: AskNode): Promise<readonly string[]>;
}

export const RESOURCE_SCHEME = 'memory';

export const templateOf = ({ name, variable }: ResourceDefinition): string =>
  `${RESOURCE_SCHEME}://${name}/{${variable}}`;
