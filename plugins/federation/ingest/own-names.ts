import { matchKey, type NodeSelf } from '../../../kernel/plugin-api.ts';

/** What nobody but this node may say something as. */
export interface OwnNames {
  isOwnNode(nodeId: string): boolean;
  /** This node as a source, or one under its own address. */
  isOwnSource(source: string): boolean;
}

export const createOwnNames = ({ names, nodeId, authority }: NodeSelf): OwnNames => {
  const self = matchKey(nodeId, names);
  const below = [`${names.scheme}${authority.toLowerCase()}/`];
  if (self.startsWith(names.scheme)) below.push(self.endsWith('/') ? self : `${self}/`);
  const isOwnNode = (text: string): boolean => matchKey(text, names) === self;
  return {
    isOwnNode,
    isOwnSource: (source) => isOwnNode(source) || below.some((start) => matchKey(source, names).startsWith(start)),
  };
};
