#include "search/threadpool.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "common/index.h"

namespace forebear {

ThreadPool::ThreadPool(int threads, std::shared_ptr<const Budget> budget)
    : budget_(std::move(budget)), threads_count_(std::max(1, threads)) {
    try {
        for (int t = 0; t < threads_count_; ++t) threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
        // The system provides no more threads; those that started share the work.
        if (threads_.empty()) throw;
        threads_count_ = static_cast<int>(threads_.size());
    }
}

void ThreadPool::shut() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    work_.notify_all();
    threads_.clear();  // joins them
}

std::shared_ptr<ThreadPool::Queue> ThreadPool::open() {
    const std::lock_guard lock(mutex_);
    return queues_.emplace_back(std::make_shared<Queue>());
}

void ThreadPool::close(Queue& queue) {
    std::vector<std::unique_ptr<Workspace>> workspaces;  // freed without the lock
    {
        const std::lock_guard lock(mutex_);
        if (!queue.open_) return;
        queue.open_ = false;
        for (auto& batch : queue.batches_) batch->dropped_ = true;
        workspaces = std::move(queue.idle_);
        std::erase_if(queues_, [&](const auto& other) { return other.get() == &queue; });
    }
    work_.notify_all();
}

void ThreadPool::submit(Queue& queue, std::shared_ptr<Batch> batch) {
    if (batch->jobs_.empty()) return;
    const size_t jobs = batch->jobs_.size();
    size_t free = 0;
    {
        const std::lock_guard lock(mutex_);
        queue.batches_.push_back(std::move(batch));
        free = index(std::max(0, share() - queue.busy_));
    }
    for (size_t i = 0; i < std::min(jobs, free); ++i) work_.notify_one();
}

std::vector<IndividualPtr> ThreadPool::wait(Batch& batch) {
    std::unique_lock lock(mutex_);
    if (closing_ && batch.ended_ < batch.jobs_.size())
        throw std::logic_error("these threads have ended");
    batch.done_.wait(lock, [&] { return batch.ended_ == batch.jobs_.size(); });
    if (batch.error_) std::rethrow_exception(batch.error_);
    return std::move(batch.results_);
}

void ThreadPool::drop(Batch& batch) {
    const std::lock_guard lock(mutex_);
    batch.dropped_ = true;
}

int ThreadPool::share() const {
    const auto queues = std::max<int>(1, static_cast<int>(queues_.size()));
    return (threads_count_ + queues - 1) / queues;
}

bool ThreadPool::has_work(Queue& queue) const {
    while (!queue.batches_.empty() && queue.batches_.front()->dropped_) queue.batches_.pop_front();
    return !queue.batches_.empty() && queue.busy_ < share();
}

/// The queues take turns.
std::shared_ptr<ThreadPool::Queue> ThreadPool::find_work() {
    const size_t count = queues_.size();
    for (size_t i = 0; i < count; ++i) {
        const auto& queue = queues_[(next_queue_ + i) % count];
        if (!has_work(*queue)) continue;
        next_queue_ = (next_queue_ + i + 1) % count;
        return queue;
    }
    return nullptr;
}

void ThreadPool::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        std::shared_ptr<Queue> queue;
        work_.wait(lock, [&] { return closing_ || (queue = find_work()); });
        if (closing_) return;
        std::shared_ptr<Batch> batch = queue->batches_.front();
        const size_t number = batch->begun_++;
        if (batch->begun_ == batch->jobs_.size()) queue->batches_.pop_front();
        ++queue->busy_;
        if (queue->idle_.empty()) queue->idle_.push_back(std::make_unique<Workspace>());
        auto workspace = std::move(queue->idle_.back());
        queue->idle_.pop_back();
        lock.unlock();

        IndividualPtr result;
        std::exception_ptr error;
        try {
            const Job& job = batch->jobs_[number];
            if (job.always || !budget_->spent())
                result = std::make_shared<Individual>(job.work(*workspace, *budget_));
        } catch (...) {
            error = std::current_exception();
        }

        lock.lock();
        --queue->busy_;
        if (queue->open_) queue->idle_.push_back(std::move(workspace));
        batch->results_[number] = std::move(result);
        if (error && !batch->error_) batch->error_ = error;
        if (++batch->ended_ == batch->jobs_.size()) batch->done_.notify_all();
        lock.unlock();
        // Released without the lock, because this may free Python objects.
        batch.reset();
        workspace.reset();
        queue.reset();
        lock.lock();
    }
}

}  // namespace forebear
