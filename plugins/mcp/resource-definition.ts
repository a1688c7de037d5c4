import type { AskNode } from './ask-node.ts';

/** A kind of document that clients read by address: `memory://<name>/{<variable>}`. */
export interface ResourceDefinition {
  readonly name: string;
  readonly variable: string;
  readonly title: string;
  readonly description: string;
  readonly routes: readonly string[];
  /** Returns the document for a value of the variable. */
  read(value: string, node: AskNode): Promise<unknown>;
  /** Returns visible values with this prefix, at most 100. */
  complete(begun: string, node: AskNode): Promise<readonly string[]>;
}

export const RESOURCE_SCHEME = 'memory';

export const templateOf = ({ name, variable }: ResourceDefinition): string =>
  `${RESOURCE_SCHEME}://${name}/{${variable}}`;
