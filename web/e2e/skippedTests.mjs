/** Says of each test that was skipped why it was. */
export default class SkippedTests {
  onTestEnd(test, result) {
    if (result.status !== 'skipped') return
    const reason = test.annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description
    console.log(`\nSKIPPED: ${test.title} (${reason ?? 'no reason was given'})`)
  }
}
