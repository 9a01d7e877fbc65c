/** The promises of docs/security.md, sentence by sentence, each with a test that holds it. Read by security.test.ts. */

interface Promise {
  /** As it stands in the document; of the table who, and what they can't. */
  readonly sentence: string;
  readonly file: string;
  readonly title: string;
}

const held = (sentence: string, file: string, title: string): Promise => ({ sentence, file, title });

export const promises: readonly Promise[] = [
  held(
    'An agent (token): see that anything else exists',
    'test/policies/matrix.test.ts',
    'answers what is hidden and what doesn’t exist with the same bytes, headers included',
  ),
  held(
    'An agent (token): act as somebody else',
    'test/policies/environments.test.ts',
    'a token of one is as good as none in another, on every address, and says nothing of what is there',
  ),
  held(
    'An agent (token): approve',
    'test/http/approvalDecisions.test.ts',
    'lets only persons decide who may, and nobody their own request',
  ),
  held(
    'An agent (token): run actions that need a fresh sign-in',
    'test/policies/matrix.test.ts',
    'lets a person run what needs a fresh sign-in while it is fresh, and no agent in any way',
  ),
  held(
    'An agent (token): hide what it did',
    'test/http/audit.test.ts',
    'has an entry for each change, with what it changed, who asked, from where and by which request',
  ),
  held(
    'A supervised agent: change anything without a person',
    'test/policies/supervised.test.ts',
    'asks for every change over every endpoint and tool there is, and without a person nothing changes',
  ),
  held(
    'A person (session): decide their own requests as the same account',
    'test/http/approvalDecisions.test.ts',
    'lets only persons decide who may, and nobody their own request',
  ),
  held(
    'A person (session): with `independentApproval` by any account or agent that they made or had in their hands in the last 30 days, in either part',
    'test/http/independentApproval.test.ts',
    'keeps people from deciding what those request whom they let in, who let them in, or who were let in by the same person',
  ),
  held(
    'A person (session): give or take access in the settings without a fresh sign-in',
    'test/policies/settingsMatrix.test.ts',
    'demands a fresh sign-in for every change under /settings and each member, but for those that are named as harmless',
  ),
  held(
    "The customer's app (app key): loosen what [the rules of its names](manifest.md#loosening) cover before a person accepts",
    'test/http/loosenings.test.ts',
    'goes by the stricter rule in discovery, tools and checks alike',
  ),
  held(
    "The customer's app (app key): act in another environment",
    'test/policies/environments.test.ts',
    'an app key belongs to one',
  ),
  held(
    'Whoever can write to Redis: make anything act, read contents, forge messages, replay them',
    'test/flows/redisAttacker.test.ts',
    'takes no message twice, altered, on another channel, or with another day’s key',
  ),
  held(
    'Whoever can read PostgreSQL: use a token, a session or a password: only hashes are kept',
    'test/http/settings/record.test.ts',
    'keep no token and no password anywhere, saved answers and Redis included',
  ),
  held(
    'Whoever can write to PostgreSQL: change the past unseen, once the newest hash of the audit log is kept elsewhere',
    'test/flows/auditChain.test.ts',
    'is not written again by those who may write to it',
  ),
  held(
    'A stranger on the network: keep an owner from signing in at another address',
    'test/flows/signInFlood.test.ts',
    'lets the owner in at the first try from a known browser and within three from another, from its first second on',
  ),
  held(
    'A stranger on the network: guess passwords faster than the limits',
    'test/http/signInGuesses.test.ts',
    'lets no more guesses through that are made at once, over several processes',
  ),
  held(
    'A stranger on the network: learn which accounts, items or environments exist',
    'test/http/signInGuesses.test.ts',
    'answers an address that exists and one that does not with the same bytes',
  ),
  held(
    'Lists, counts, cursors, search, errors, bulk results, blocks, live messages and tools pass through the same access.',
    'test/policies/canary.test.ts',
    'is in no answer of any GET, with whatever parameters',
  ),
  held(
    'A request by the id of what a role does not see is answered as for what does not exist, byte for byte.',
    'test/policies/matrix.test.ts',
    'answers what is hidden and what doesn’t exist with the same bytes, headers included',
  ),
  held(
    'An answer that was saved under an idempotency key is checked against what its caller sees today.',
    'test/http/visibleLater.test.ts',
    'is 404 for an item whose inbox is hidden now, and audited as denied',
  ),
  held(
    'An unknown id and a foreign one, and an unknown environment and a foreign one, answer alike.',
    'test/policies/environments.test.ts',
    'an id of one is unknown in another, for every endpoint that takes one',
  ),
  held(
    'An offset of another environment begins the stream anew, as one from before a restore does.',
    'test/policies/environments.test.ts',
    'an offset of one resets the stream of another, and brings no data',
  ),
  held(
    'Every change is an event under the principal that asked for it, with its role, address and request, written in the same statement as the change.',
    'test/http/audit.test.ts',
    'has an entry for each change, with what it changed, who asked, from where and by which request',
  ),
  held(
    'Refusals of changes are events too (of reads they stand in the access log alone); repeated ones of one principal on one target become one event with a count each minute, so that nobody can fill the disk with them.',
    'test/http/refusals.test.ts',
    'take no row for each, however many come',
  ),
  held(
    "The service's own role in PostgreSQL can append to the log, neither change, delete nor truncate it.",
    'test/http/audit.test.ts',
    'can’t be changed or emptied by the role that API and workers use',
  ),
  held(
    'By the function of [erasures](operators.md#erasing-a-person) it can empty values of entries, not who did what when, and the chain counts which.',
    'test/erasure/erasures.test.ts',
    'keep the chain of the audit log whole, and events as they are but for an erasure',
  ),
  held(
    "Committed entries are chained by hashes; `npm run admin -- audit head` prints the newest one, to be kept where this service's administrators can't write, and `audit verify` checks the chain against it.",
    'test/flows/auditChain.test.ts',
    'grows with every entry by itself, and is verified from its beginning and by a hash that was kept',
  ),
  held(
    'What declares `approval` becomes a request when it is asked for.',
    'test/http/approvals.test.ts',
    'shows what is asked for, before and now, to who asked and to who may see approvals and the target',
  ),
  held(
    'An approval is bound to what its decider saw: when the record, a record of a bulk, or the newest message is other by then, nothing is approved, and the decider is shown what it is now.',
    'test/http/approvalDigest.test.ts',
    'is what its decider saw of a stored record: what changed since is answered as it is now, and nothing is done',
  ),
  held(
    "When a flag, or what the request changes of an item, or a record's field that the action names in `stale` has changed since the request, the approval is stale.",
    'test/http/approvalDigest.test.ts',
    'is stale when a field changes that the action names, and otherwise as any other',
  ),
  held(
    'A record that the app serves is compared when the run starts.',
    'test/http/approvalDigest.test.ts',
    'of a record that the app serves is compared when the run starts',
  ),
  held(
    'The effect is done in the transaction of the decision, once, however many decide at the same time.',
    'test/http/approvalDecisions.test.ts',
    'lets exactly one of many decisions at once hold, with its effect once or not at all',
  ),
  held(
    'What a definition once required is remembered for every name: a manifest that requires less registers, the stricter rule stays in force, and a person with a fresh sign-in accepts or refuses the difference ([operators.md](operators.md)).',
    'test/http/loosenings.test.ts',
    'remembers rules over removing, declaring again, other instances and older starts',
  ),
  held(
    'Environments with `trustApp` skip the question, not the record of it.',
    'test/http/looseningDecisions.test.ts',
    'asks nothing where the app is trusted, accepts nothing that waits, and audits all the same',
  ),
  held(
    'With `independentApproval`, whoever had the asking agent in their hands within 30 days does not decide.',
    'test/http/independentApproval.test.ts',
    'keeps those who rotated it, changed it, its mode or its role from deciding',
  ),
  held(
    'In a new environment that begins with the second person who can sign in and decide.',
    'test/http/independentApproval.test.ts',
    'begins by itself in a new environment once a second person can sign in and decide, and not before',
  ),
  held(
    'There, agents use a new action or flag only once a person has accepted it.',
    'test/http/looseningDecisions.test.ts',
    'lets agents wait for new names in a new environment, but not for those of its first manifest',
  ),
  held(
    'Who decides reads what they decide: the sentence of an approval has each value quoted, on one line and without signs that are not seen.',
    'test/approvals/sentence.test.ts',
    'is one line of which every value is quoted, short and visible, whatever the values are',
  ),
  held(
    'The console shows such signs in values and reasons by their numbers (`[U+202E]` turns the direction of what follows), so that no account number reads as another one.',
    'test/console/approvals.test.ts',
    'shows signs that turn or hide what is around them by their numbers, to whoever decides',
  ),
  held(
    'Tokens are random (32 characters, 190 bits), shown once, kept as SHA-256, and end within a second on every process when they are revoked, their streams within two; within five while Redis is away.',
    'test/flows/multiProcess.test.ts',
    'ends a revoked token at both within a second, its streams within two',
  ),
  held(
    'Passwords are kept by scrypt with a salt each.',
    'test/flows/admin.test.ts',
    'makes people with a password that is only kept hashed, and keeps the last admin',
  ),
  held(
    "Tries count by account and address: an address's first three tries at an account in an hour always pass the limit of the account, and a browser that signed in before has tries of its own, so that strangers at other addresses can't keep an owner out.",
    'test/http/signInGuesses.test.ts',
    'lets the first three tries of an address through the waits of the account, in each hour',
  ),
  held(
    'During a wait of the account or the address, the third try with one password from one address at one account is checked all the same.',
    'test/http/signInGuesses.test.ts',
    'keeps a right password waiting for two tries at most, after guesses from its address at its account or at many',
  ),
  held(
    "So a colleague's guesses, or those of a whole office, make a right password wait for two tries at most.",
    'test/http/signInGuesses.test.ts',
    'keeps a right password waiting for two tries at most, after guesses from its address at its account or at many',
  ),
  held(
    'Guessing stays bounded: a guess in a wait costs three requests, and an address has 30 of them an hour, over all accounts.',
    'test/http/signInGuesses.test.ts',
    'verifies no more than 30 repeated guesses of an address in an hour, and none twice',
  ),
  held(
    'To know a repeated password, three bytes of its digest are kept for an hour; a right password deletes them at once.',
    'test/http/signInGuesses.test.ts',
    'keeps a right password waiting for two tries at most, after guesses from its address at its account or at many',
  ),
  held(
    'The 10,000 most common passwords are refused wherever a password is set: in the settings, by people themselves, by the links of invitations and resets, and by the admin command.',
    'test/http/settings/people.test.ts',
    'get none of the most common passwords, wherever one is set',
  ),
  held(
    'Links of invitations and resets have random tokens (192 bits), of which only a hash is kept.',
    'test/http/passwordLinks.test.ts',
    'keep only a hash of a token, and no job holds it',
  ),
  held(
    'They work once, for 7 days and for an hour; a new password, another address and a newer link void them.',
    'test/http/passwordLinks.test.ts',
    'are void once the password or the e-mail address changes, and once the person is removed',
  ),
  held(
    "The token stands behind the `#` of the address, so that no server's log has it.",
    'test/http/passwordLinks.test.ts',
    'are answered once where no mail is sent, and resets are not offered there',
  ),
  held(
    'A request for a reset answers the same, after the same time, whether somebody has the address or not.',
    'test/http/passwordLinks.test.ts',
    'tell nobody who exists, and are mailed three times an hour to a person at most',
  ),
  held(
    'The limit of an address over all accounts stays.',
    'test/http/signInGuesses.test.ts',
    'slows guesses from an address at many accounts',
  ),
  held(
    "Sign-in by OpenID Connect: the provider's answer counts once, in the browser that began, within ten minutes (PKCE, state, nonce; a sealed cookie).",
    'test/http/openIdSignIn.test.ts',
    'binds the flow to the browser by a short-lived cookie that no script reads',
  ),
  held(
    "A person is known by the provider's subject, so that nobody gets an account with its e-mail address.",
    'test/http/openIdSignIn.test.ts',
    'knows people by their subject: neither a changed address nor a given away one opens another account',
  ),
  held(
    "The provider's answer comes back to pages of the console only, and the console shows nothing of what the provider wrote.",
    'test/http/openIdSignIn.test.ts',
    'comes back to pages of its own only',
  ),
  held(
    'Session cookies are `HttpOnly`, `SameSite=Lax`, and `Secure` where clients come by TLS.',
    'test/http/signIn.test.ts',
    'is set for this host’s environments, out of reach of scripts and of other sites',
  ),
  held(
    "Requests of other sites' pages are refused: a page counts as the service's own by the host of `PUBLIC_URL`, or as one of this machine (`localhost`, `127.0.0.1`).",
    'test/http/conventions/clients.test.ts',
    'are refused where host and origin are one name that is not the service’s, on everything that a page can send',
  ),
  held(
    "A stranger's name that resolves to the service's address is another site.",
    'test/http/conventions/clients.test.ts',
    'are refused where host and origin are one name that is not the service’s, on everything that a page can send',
  ),
  held(
    'This holds for sign-in, sessions by cookie, `/live` by cookie, and `/mcp` with any credential.',
    'test/http/conventions/clients.test.ts',
    'are refused where host and origin are one name that is not the service’s, on everything that a page can send',
  ),
  held(
    'The log has neither tokens nor passwords at any level; a test reads the debug log of a whole run for every secret that was used in it.',
    'test/flows/logSecrets.test.ts',
    'hold no password, no token and no ticket',
  ),
  held(
    "Cursors and offsets are sealed under a key of the environment: they can't be made up, and tell no numbers.",
    'test/policies/cursors.test.ts',
    'are refused under another role, on another list and with other filters, and go on under their own',
  ),
  held(
    'The offset of a moment is the same for everybody, so whoever may read anything of an environment can tell that something happened in it, not what.',
    'test/policies/environments.test.ts',
    'a stream hears nothing of another',
  ),
  held(
    'Redis carries hints and job ids.',
    'test/flows/redisAttacker.test.ts',
    'shows a reader channels, ids and sizes, and none of what people and apps write',
  ),
  held(
    'Everything that processes send each other is sealed under a key that is kept in PostgreSQL and changes daily; the channel, the sender, the target, the time and a counter are authenticated, and what is older than 60 s or was seen before is dropped, counted and logged.',
    'test/flows/redisAttacker.test.ts',
    'takes no message that was held back for longer than a minute',
  ),
  held(
    'Jobs name rows: a job that was forged, repeated or altered does what its row says, or nothing.',
    'test/flows/redisAttacker.test.ts',
    'does for a job what its row says, whatever Redis says',
  ),
  held(
    "Calls that act are never relayed; the process that has the app's socket reads the run's row and marks it before it calls.",
    'test/app/link/calls.test.ts',
    'gives runs to the process that holds the connection',
  ),
  held(
    'Somebody with Redis can still delay work and messages until processes look into PostgreSQL by themselves (a second for streams, half a minute for jobs), drop rate limits, see which ids are busy and how large messages are, and fill its memory.',
    'test/flows/redisAttacker.test.ts',
    'goes on when every key was overwritten and removed, and the runs that waited are done in their turn',
  ),
  held(
    'A request has at most 1 MiB and bounded depth.',
    'test/http/badInputs/bodies.test.ts',
    '17: one byte more than 1 MiB, and much more, announced or chunked',
  ),
  held(
    'Patterns are matched in linear time.',
    'test/platform/json/schemas.test.ts',
    'run what makes other engines hang',
  ),
  held(
    'Decompression, headers and time to send are bounded.',
    'test/http/badInputs/bodies.test.ts',
    '16: a gzip body and a brotli bomb are not unpacked',
  ),
  held(
    "Reads have connections of their own, 2 s of PostgreSQL's time each, and no principal more than a third of them; `422 too_broad` says what to narrow.",
    'test/flows/worstReads.test.ts',
    'of one token leave another’s alone: 200 at once, none answers 5xx',
  ),
  held(
    'Conditions and templates are bounded in size.',
    'test/platform/conditions/conditions.test.ts',
    'stops at 8 levels, 100 conditions and 1,000 values',
  ),
  held(
    'What evaluates one for many records or actions gives way to other requests in between.',
    'test/platform/turns/turns.test.ts',
    'lets one of several go on in each turn of the event loop',
  ),
  held(
    'Requests are limited by token, and by address where nobody is known.',
    'test/http/rateLimit.test.ts',
    'counts requests without a valid token by their address',
  ),
  held(
    'Slow readers of streams are cut off after 15 s.',
    'test/live/slow.test.ts',
    'cuts off one that never reads with 4408, and the others do not notice',
  ),
  held(
    'Both are off unless an operator asks for them, and name neither contents, paths, query strings nor tokens.',
    'test/flows/accessLog.test.ts',
    'shows no path, query string, body or token',
  ),
  held(
    'A client with a token may send a `traceparent`: it chooses the trace that its own requests are shown in, and has them traced whatever the ratio is, as often as its rate limit allows; `OTEL_TRACES_SAMPLER=traceidratio` without `parentbased_` takes the second away.',
    'test/flows/traces.test.ts',
    'leave out what its client does not have sampled, with all that follows',
  ),
  held(
    "A stranger's header is not read.",
    'test/flows/traces.test.ts',
    'join no trace of somebody who is nobody, and take no header that is not valid',
  ),
  held(
    "Spans that a collector does not take are dropped, so that nobody fills a process's memory with them.",
    'test/flows/traces.test.ts',
    'cost the service nothing while the collector ',
  ),
  held(
    "The customer's app gets the `traceparent` of the calls that it is sent, and nothing else of a trace.",
    'test/flows/traces.test.ts',
    'show the call of the app, which gets its traceparent: directly, over another API, and by a job',
  ),
];
