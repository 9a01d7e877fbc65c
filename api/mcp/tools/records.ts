/** The rows of the tools for records and pages. */
import { readFilterValues } from '../arguments/filterValues.ts';
import { splitRecordId } from '../arguments/recordRefs.ts';
import { getEndpoint } from '../endpoints.ts';
import { canSeeAny, noCaller } from '../rights.ts';
import { createTool, type Tool } from '../tool.ts';

export const recordTools: readonly Tool[] = [
  createTool({
    name: 'list_resources',
    endpoint: getEndpoint('resource.list'),
    isListed: canSeeAny('resource'),
    description: 'Kinds of records: fields (to filter, sort, search by) and relations.',
  }),
  createTool({
    name: 'search_records',
    endpoint: getEndpoint('record.search'),
    isListed: noCaller,
    say: { q: 'Words, or the beginning of an id.' },
    canLookAhead: () => false,
    description: 'The records of a resource that fit best, at most 50.',
  }),
  createTool({
    name: 'list_records',
    endpoint: getEndpoint('record.list'),
    isListed: canSeeAny('resource'),
    objects: ['filters'],
    prepare: readFilterValues,
    say: {
      q: '',
      filters:
        '{ field: value }, { field: [any, of] } or { field: { gte: 5 } }: eq ne in nin lt lte gt gte contains startsWith exists; ISO times.',
      sort: 'A field; -field: descending.',
    },
    canLookAhead: ({ env }, { resource }) => env.definition.resources.get(String(resource))?.source === 'stored',
    description: 'Records of a resource, filtered and sorted.',
  }),
  createTool({
    name: 'get_record',
    endpoint: getEndpoint('record.get'),
    isListed: canSeeAny('resource'),
    prepare: splitRecordId,
    say: { historyCursor: '' },
    description: 'One record: fields, blocks, newest items, what was done, actions that apply.',
  }),
  createTool({
    name: 'get_related_records',
    endpoint: getEndpoint('record.related'),
    isListed: canSeeAny('resource'),
    prepare: splitRecordId,
    canLookAhead: () => false,
    description: 'The records of a relation, such as the orders of a customer.',
  }),
  createTool({
    name: 'list_pages',
    endpoint: getEndpoint('page.list'),
    isListed: canSeeAny('page'),
    description: 'The pages that the app declares, and their parameters.',
  }),
  createTool({
    name: 'get_page',
    endpoint: getEndpoint('page.get'),
    isListed: canSeeAny('page'),
    objects: ['params'],
    say: { params: 'Texts by name.' },
    description: 'A page with live data: numbers, tables, items, records.',
  }),
];
