import { foldName } from '../../../kernel/internal-api.ts';
import { matchKey, type NodeSelf } from '../../../kernel/plugin-api.ts';

/** Recognises the names that only this node may use as a source. */
export interface OwnNames {
  isOwnNode(nodeId: string): boolean;
  /** Returns true for this node as a source, and for sources under its address. */
  isOwnSource(source: string): boolean;
}

/** The names of a node. Without an authority, no source is below its address. */
export type NamedNode = Pick<NodeSelf, 'names' | 'nodeId'> & { readonly authority: string | null };

export const createOwnNames = ({ names, nodeId, authority }: NamedNode): OwnNames => {
  const self = matchKey(nodeId, names);
  const below = authority === null ? [] : [`${names.scheme}${foldName(authority)}/`];
  if (self.startsWith(names.scheme)) below.push(self.endsWith('/') ? self : `${self}/`);
  const isOwnNode = (text: string): boolean => matchKey(text, names) === self;
  return {
    isOwnNode,
    isOwnSource: (source) => isOwnNode(source) || below.some((start) => matchKey(source, names).startsWith(start)),
  };
};
