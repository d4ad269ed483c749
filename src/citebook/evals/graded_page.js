const form = document.querySelector('.filters')
const articles = [...document.querySelectorAll('article')]
const filters = [...form.querySelectorAll('select')]
function show() {
  for (const article of articles)
    article.hidden = !filters.every(({ name, value }) => !value || article.dataset[name] === value)
  const shown = articles.filter((article) => !article.hidden).length
  form.querySelector('output').textContent = `${shown} of ${articles.length} questions`
}
form.addEventListener('change', show)
form.hidden = false
show()
