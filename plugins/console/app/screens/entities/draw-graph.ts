import cytoscape, { type ElementDefinition } from 'cytoscape';
import { DIRECTION_MARKS } from '../../kit/direction-marks.ts';
import { onThemeChange } from '../../kit/theme.ts';
import { graphStyle } from './graph-style.ts';
import type { Neighbour } from './neighbours.tsx';
import { radialLayout } from './radial-layout.ts';

/** The maximum number of edges with names; with more, the names would hide one another. */
const NAMED_EDGES = 16;
const MARGIN = 24;
const LEAST_ZOOM = 0.1;
const MOST_ZOOM = 3;
/** The maximum zoom, so that few entities are not blown up. */
const MOST_FITTED_ZOOM = 1.2;
const LEAST_WIDE = 0.8;
const MOST_WIDE = 1.4;
const STYLE_ID = '__________cytoscape_stylesheet';

export interface Graph {
  readonly seed: string;
  readonly neighbours: readonly Neighbour[];
}

export interface Picture {
  zoom(factor: number): void;
  fit(): void;
  remove(): void;
}

/** Draws a graph into an element. A click on an entity opens it. */
export const drawGraph = (place: HTMLElement, graph: Graph, onOpen: (entity: string) => void): Picture => {
  withoutStyleElement();
  const cy = cytoscape({
    container: place,
    elements: elementsOf(graph, widenessOf(place)),
    style: graphStyle(place),
    layout: { name: 'preset' },
    minZoom: LEAST_ZOOM,
    maxZoom: MOST_ZOOM,
    // Wheel and touch scroll the page, which would otherwise stop here.
    userZoomingEnabled: false,
    userPanningEnabled: !matchMedia('(pointer: coarse)').matches,
    boxSelectionEnabled: false,
    autounselectify: true,
  });
  const showAll = (): void => {
    cy.fit(undefined, MARGIN);
    if (cy.zoom() > MOST_FITTED_ZOOM) cy.zoom(MOST_FITTED_ZOOM);
    cy.center();
  };
  // The first call reports the present size, later ones the changes.
  const size = new ResizeObserver(() => {
    cy.resize();
    showAll();
  });
  size.observe(place);
  cy.on('tap', 'node', ({ target }) => onOpen(target.data('uri')));
  cy.on('mouseover', 'node', () => {
    place.style.cursor = 'pointer';
  });
  cy.on('mouseout', 'node', () => {
    place.style.cursor = '';
  });
  const ignoreTheme = onThemeChange(() => void cy.style(graphStyle(place)));
  return {
    fit: showAll,
    zoom: (factor) => void cy.zoom({ level: cy.zoom() * factor, renderedPosition: middleOf(place) }),
    remove: () => {
      ignoreTheme();
      size.disconnect();
      cy.destroy();
    },
  };
};

const middleOf = ({ clientWidth, clientHeight }: HTMLElement) => ({ x: clientWidth / 2, y: clientHeight / 2 });

/** Returns the ratio of width to height for the layout, because names need more room horizontally. */
const widenessOf = ({ clientWidth, clientHeight }: HTMLElement): number =>
  Math.min(MOST_WIDE, Math.max(LEAST_WIDE, clientWidth / clientHeight));

const elementsOf = ({ seed, neighbours }: Graph, wideness: number): ElementDefinition[] => {
  const positions = radialLayout(seed, neighbours, wideness);
  const node = (uri: string, kind: string): ElementDefinition => ({
    data: { id: nodeId(uri), uri, name: shortName(uri) },
    position: { ...(positions.get(uri) ?? { x: 0, y: 0 }) },
    classes: kind,
  });
  const known = new Set([seed, ...neighbours.map(({ entity }) => entity)]);
  const edges = neighbours.flatMap(({ entity, relation, hops, path }, at): ElementDefinition[] => {
    const before = hops === 1 ? seed : (path.at(-1) ?? seed);
    // The path may lead over an entity of a page that is not loaded yet.
    if (!known.has(before)) return [];
    const name = neighbours.length > NAMED_EDGES ? '' : cut(relation);
    return [{ data: { id: `edge:${at}`, source: nodeId(before), target: nodeId(entity), name } }];
  });
  return [
    node(seed, 'seed'),
    ...neighbours.map(({ entity, hops }) => node(entity, hops > 1 ? 'far' : 'near')),
    ...edges,
  ];
};

/** Returns the id of an entity in the picture. The prefix separates it from an edge of the same name. */
const nodeId = (uri: string): string => `node:${uri}`;

const NAME_CHARACTERS = 28;

const cut = (text: string): string => (text.length > NAME_CHARACTERS ? `${text.slice(0, NAME_CHARACTERS)}…` : text);

/** The readable part of an entity's address: its last segment. */
const shortName = (uri: string): string => {
  const [, tail = uri] = /^[a-z][a-z0-9+.-]*:\/\/[^/]+\/(.+)$/i.exec(uri) ?? [];
  // A picture has no room for a warning about direction marks.
  return cut(tail.replace(DIRECTION_MARKS, '\uFFFD'));
};

/** The drawing library adds a style element, which the policy of the page forbids, unless it finds its own. */
const withoutStyleElement = (): void => {
  if (document.getElementById(STYLE_ID) !== null) return;
  const mark = document.createElement('meta');
  mark.id = STYLE_ID;
  document.head.append(mark);
};
